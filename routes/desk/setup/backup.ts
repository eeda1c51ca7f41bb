/** `GET /desk/setup/backup`: a copy of the database, as `deno task backup` makes it. */

import { backUp, setBackupTime } from "../../../lib/operate/backup/backup.ts";
import { deskMethods } from "../../../components/desk/desk.tsx";

export const handler = deskMethods({
  isGuarded: true,
  async GET({ ctx: { req, state: { services: { kv, now, log } } }, account }) {
    const day = new Date(now()).toISOString().slice(0, 10);
    const headers = {
      "content-type": "application/gzip",
      "content-disposition": `attachment; filename="foyer-${day}.gz"`,
    };
    if (req.method === "HEAD") return new Response(null, { headers });
    const folder = await Deno.makeTempDir({ prefix: "foyer-backup-" });
    try {
      const at = now();
      await backUp(kv, `${folder}/copy.gz`, at);
      await setBackupTime(kv, at);
      // An open file can be read although its name is removed.
      const file = await Deno.open(`${folder}/copy.gz`);
      log.info("An operator downloads a backup.", { accountId: account.id });
      return new Response(file.readable, { headers });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
