/** The memory that a hostile backup takes. */

import assert from "node:assert/strict";

const PARTS = 300;
/** A process that does nothing takes about seventy. */
const MAX_MEBIBYTES = 150;

Deno.test({
  name: "one endless line is refused in the memory of a short one",
  // The peak is read from /proc.
  ignore: Deno.build.os !== "linux",
  async fn() {
    const file = await Deno.makeTempFile({ suffix: ".gz" });
    try {
      const mebibyte = " ".repeat(2 ** 20);
      const text = ReadableStream.from(Array.from({ length: PARTS }, () => mebibyte));
      const bytes = text.pipeThrough(new TextEncoderStream());
      await Deno.writeFile(file, bytes.pipeThrough(new CompressionStream("gzip")));
      const module = new URL("../../../lib/operate/backup/file.ts", import.meta.url).href;
      const code = `
        const { checkBackupFile } = await import(${JSON.stringify(module)});
        const message = await checkBackupFile(${JSON.stringify(file)}).catch((e) => e.message);
        const [peak] = /(?<=VmHWM:\\s+)\\d+/.exec(Deno.readTextFileSync("/proc/self/status"));
        console.log(JSON.stringify({ message, mebibytes: peak / 1024 }));`;
      const { stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["eval", "--no-check", code],
      }).output();
      const { message, mebibytes } = JSON.parse(new TextDecoder().decode(stdout));
      assert.match(message, /line 1: it has more than 1000000 bytes/);
      assert.ok(mebibytes < MAX_MEBIBYTES, `${mebibytes} MiB`);
    } finally {
      await Deno.remove(file);
    }
  },
});
