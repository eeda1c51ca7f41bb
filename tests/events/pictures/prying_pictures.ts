/** A program that makes no picture, but attempts everything that a compromised one might, and reports the results. */

async function attempt(what: () => unknown): Promise<string> {
  try {
    await what();
    return "done";
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
}

const tried = {
  network: await attempt(() => Deno.connect({ port: 9 })),
  environment: await attempt(() => Deno.env.toObject()),
  reading: await attempt(() => Deno.readTextFile(new URL("../../../deno.json", import.meta.url))),
  writing: await attempt(() => Deno.writeTextFile("/tmp/pictures", "")),
  running: await attempt(() => new Deno.Command(Deno.execPath()).spawn()),
};
await new Response(JSON.stringify(tried)).body?.pipeTo(Deno.stdout.writable);
