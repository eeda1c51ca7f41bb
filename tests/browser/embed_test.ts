/** Embeds as another site shows them. */

import assert from "node:assert/strict";
import { browserTest, findings, pageTest, startVisit, watchPage } from "./visit.ts";

const { foyer, browser } = await startVisit();

/** A page of another origin; it ends with its test. */
function serveSite(body: string) {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () =>
      new Response(`<!doctype html><title>Another site</title>${body}`, {
        headers: { "content-type": "text/html; charset=utf-8" },
      }),
  );
  return { origin: `http://127.0.0.1:${server.addr.port}`, stop: () => server.shutdown() };
}

browserTest(
  "another site shows the list and a card in frames, sandboxed ones too, as high as their content",
  async () => {
    const guide = await (await foyer.get("/docs/embed.md")).text();
    const integrity = /integrity="([^"]+)"/.exec(guide)?.[1] ?? "";
    const site = serveSite(`
    <script src="${foyer.origin}/embed-1.js" integrity="${integrity}" crossorigin="anonymous" async></script>
    <iframe id="list" src="${foyer.origin}/embed?limit=3" width="480" height="1"></iframe>
    <iframe id="boxed" sandbox="allow-popups allow-scripts" src="${foyer.origin}/embed/a-day-of-soldering" width="400" height="1"></iframe>
    <iframe id="still" sandbox src="${foyer.origin}/embed?theme=dark" width="480" height="77"></iframe>
    <iframe id="home" src="${foyer.origin}/" width="480" height="77"></iframe>`);
    try {
      await using context = await browser.newContext();
      const { page } = await watchPage(context, foyer);
      await page.goto(site.origin);
      const frame = (id: string) => page.frameLocator(`#${id}`);
      await frame("list").locator("li").nth(2).waitFor();
      await frame("boxed").locator(".name a").waitFor();
      await frame("still").locator("li").first().waitFor();
      await page.waitForFunction(() =>
        ["list", "boxed"].every((id) =>
          Number(document.getElementById(id)?.getAttribute("height")) > 150
        )
      );
      assert.equal(await page.locator("#still").getAttribute("height"), "77");
      assert.equal(
        await frame("home").getByText("Events").count(),
        0,
        "the home page is in no frame",
      );
      // A link in a sandboxed frame opens a new tab.
      await Promise.all([
        context.waitForEvent("page"),
        frame("boxed").locator(".name a").click(),
      ]);
      assert.deepEqual(await context.cookies(), []);
    } finally {
      await site.stop();
    }
  },
);

pageTest(
  "an embed is legible in each theme, by axe",
  { viewport: { width: 320, height: 600 } },
  async (page) => {
    for (const path of ["/embed", "/embed/a-day-of-soldering"]) {
      for (const theme of ["light", "dark"]) {
        await page.goto(`${foyer.origin}${path}?theme=${theme}`);
        assert.deepEqual(await findings(page), [], `${path} ${theme}`);
        const [red = 0] = await page.evaluate(() =>
          (getComputedStyle(document.body).backgroundColor.match(/\d+/g) ?? []).map(Number)
        );
        assert.equal(red < 128, theme === "dark", `${path} ${theme}`);
      }
    }
  },
);
