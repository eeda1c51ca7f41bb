/** Descriptions: what Airtable writes is markup, what people type is text, and nothing loads or is lost. */

import assert from "node:assert/strict";
import fc from "fast-check";
import MarkdownIt from "markdown-it";
import {
  descriptionHtml,
  descriptionMarkdown,
  descriptionText,
} from "../../lib/events/description.ts";
import { row, startFoyer } from "../support/foyer.ts";
import { readCalendar } from "../support/read_calendar.ts";
import { elementsOf } from "../support/read_xml.ts";
import { hostileText } from "./revised_event.ts";

const REL = `rel="nofollow ugc noopener"`;

/** Airtable's own sample, as its API has it (https://support.airtable.com/docs/markdown-rich-text-output-in-the-api). */
const SAMPLE = "## Heading 1\n> Learn more with this [hyperlink](https://airtable.com/) in this " +
  "quote box\n\nBullet points below\n\n- This is some *italic* text and some `code`.\n- And even " +
  "**bold** and ~~strickethrough~~ text\n\n## Heading 2\n```Oooh! A code \nblock.\n```\n### " +
  "Heading 3\n1. dfsdf\n2. dsfds\n\nCheckboxes\n[x] Do this\n[ ] And this\n\n\n";

const RENDERED: readonly (readonly [description: string, html: string, text: string])[] = [
  [
    SAMPLE,
    `<p><strong>Heading 1</strong></p>
<blockquote>
<p>Learn more with this <a href="https://airtable.com/" ${REL}>hyperlink</a> in this quote box</p>
</blockquote>
<p>Bullet points below</p>
<ul>
<li>This is some <em>italic</em> text and some <code>code</code>.</li>
<li>And even <strong>bold</strong> and <s>strickethrough</s> text</li>
</ul>
<p><strong>Heading 2</strong></p>
<pre><code>Oooh! A code 
block.
</code></pre>
<p><strong>Heading 3</strong></p>
<ol>
<li>dfsdf</li>
<li>dsfds</li>
</ol>
<p>Checkboxes<br>
☑ Do this<br>
☐ And this</p>`,
    `Heading 1

> Learn more with this hyperlink (https://airtable.com/) in this quote box

Bullet points below

- This is some italic text and some code.
- And even bold and ~~strickethrough~~ text

Heading 2

Oooh! A code
block.

Heading 3

1. dfsdf
2. dsfds

Checkboxes
☑ Do this
☐ And this`,
  ],
  // Lists need no empty line around them, and items below items have four spaces.
  [
    "Bring:\n- laptop\n    - charger\n- snacks\nSee you!",
    "<p>Bring:</p>\n<ul>\n<li>laptop\n<ul>\n<li>charger</li>\n</ul>\n</li>\n<li>snacks</li>\n</ul>\n" +
    "<p>See you!</p>",
    "Bring:\n\n- laptop\n  - charger\n- snacks\n\nSee you!",
  ],
  [
    "1. one\n2. two\n4. four\n5. five",
    `<ol>\n<li>one</li>\n<li>two</li>\n<li value="4">four</li>\n<li>five</li>\n</ol>`,
    "1. one\n2. two\n4. four\n5. five",
  ],
  // Bold that ends with a space, in a word, before a letter, and in a script without spaces.
  ["**When: **Monday", "<p><strong>When:</strong> Monday</p>", "When: Monday"],
  ["**B**old", "<p><strong>B</strong>old</p>", "Bold"],
  ["**Note:**text", "<p><strong>Note:</strong>text</p>", "Note:text"],
  ["これは**太字**です", "<p>これは<strong>太字</strong>です</p>", "これは太字です"],
  ["***\n- - -", "<hr>\n<hr>", "---\n\n---"],
  ["- > 18 *a* x* *y", "<ul>\n<li>&gt; 18 <em>a</em> x* *y</li>\n</ul>", "- > 18 a x* *y"],
  ["_so_ __so__", "<p><em>so</em> <strong>so</strong></p>", "so so"],
  ["~~10 am ~~11 am", "<p><s>10 am</s> 11 am</p>", "~~10 am~~ 11 am"],
  // Signs that Airtable protects, and people.
  ["\\# 1 \\*\\*x\\*\\* a\\_b", "<p># 1 **x** a_b</p>", "# 1 **x** a_b"],
  ['Ask <airtable:mention id="menA">@Alex</airtable:mention>!', "Ask @Alex!", "Ask @Alex!"],
  // Links.
  [
    "[a](www.x.org) [b](info@x.org) ![c](https://x.org/p.png) <https://y.org>",
    `<p><a href="https://www.x.org" ${REL}>a</a> <a href="mailto:info@x.org" ${REL}>b</a> ` +
    `<a href="https://x.org/p.png" ${REL}>c</a> <a href="https://y.org" ${REL}>https://y.org</a></p>`,
    "a (https://www.x.org) b (mailto:info@x.org) c (https://x.org/p.png) https://y.org",
  ],
  [
    "[x.org](https://x.org) [i@x.org](mailto:i@x.org) [x](https://x.org)",
    `<p><a href="https://x.org" ${REL}>x.org</a> <a href="mailto:i@x.org" ${REL}>i@x.org</a> ` +
    `<a href="https://x.org" ${REL}>x</a></p>`,
    "x.org i@x.org x (https://x.org)",
  ],
];

/** Plain texts, which stay as they are. */
const PLAIN = [
  "2*3*4, 2**3**4 and 5 * 3 * 2",
  "snake_case_name, a_b_c and _x",
  "#hashtag\n#",
  "1. May",
  "Closed:\n24. Dezember\n26. Dezember",
  "one\ntwo\r\nthree\n\n\n    ten:00 Start\n  indented",
  "C:\\new C:\\.ssh C:\\(x86) \\\\server\\share\\\nnext",
  "<3 <b>x</b> &copy; AT&amp;T",
  "> 18 only, >x\n+ 1 guest\n-5 °C\n- \n=== a ===",
  'free*, *) only for members*) *.ts *.js *.* "*" or "*"',
  "[1]: see below\n[x]\n[]( ) [e](<>) [a](javascript:alert(1)) [b](/c) [d](data:text/html,x)",
  "~~~~~~\nTitle\n======\n```never closed\n~ 5 ~ 6",
  "¯\\_(ツ)_/¯",
  "|a|b|\n|-|-|\n|1|2|",
  "readme.md Node.js over.It e.g. 10.5 a.m.",
];

const ADDRESSES: readonly (readonly [text: string, href: string])[] = [
  ["https://example.org/a_b*c?d=1&e=2", "https://example.org/a_b*c?d=1&amp;e=2"],
  ["www.example.org", "https://www.example.org"],
  ["example.org/x", "https://example.org/x"],
  ["hack.club", "https://hack.club"],
  ["info@example.org", "mailto:info@example.org"],
  ["mailto:info@example.org", "mailto:info@example.org"],
];

Deno.test("a description in Airtable's markdown is blocks of HTML, and text without marks", () => {
  for (const [description, html, text] of RENDERED) {
    assert.equal(descriptionHtml(description), html);
    assert.equal(descriptionText(description), text);
  }
});

Deno.test("plain text stays as it is, and its addresses are links", () => {
  const escaped = (text: string) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  for (const text of PLAIN) {
    assert.equal(descriptionText(text), text);
    assert.equal(descriptionHtml(text), escaped(text).replaceAll("\n", "<br>"));
  }
  for (const [text, href] of ADDRESSES) {
    assert.equal(descriptionText(`See (${text}).`), `See (${text}).`);
    assert.equal(
      descriptionHtml(`See (${text}).`),
      `See (<a href="${href}" ${REL}>${escaped(text)}</a>).`,
    );
  }
});

/** Markup in any order, and texts that break careless code. */
const soup = fc.array(
  fc.oneof(
    fc.constantFrom(
      ..."*|**|_|__|~~|`|```|\n|\n\n|    |- |1. |2. |> |# |[x] |[|](|]()|)|![|<|>|\\|!".split("|"),
    ),
    fc.constantFrom("a", "Б", "7", " ", "http://x.org", "a@b.org", "javascript:x", "//x.org", "\t"),
    hostileText,
  ),
  { maxLength: 30 },
).map((parts) => parts.join(""));

Deno.test("HTML of any description has only tags of text, links to the web and to mail, and loads nothing", () => {
  const tag =
    /<(?:\/?(?:p|ul|ol|li|blockquote|pre|code|strong|em|s)|br|hr|ol start="\d+"|li value="\d+"|\/a|a href="(?:https?:\/\/|mailto:)[^"<>]*" rel="nofollow ugc noopener")>/gi;
  const reader = new MarkdownIt({ html: true });
  fc.assert(
    fc.property(soup, (description) => {
      assert.doesNotMatch(descriptionHtml(description).replace(tag, ""), /[<>]/);
      // Other readers of the markdown find no more in it.
      const html = reader.render(descriptionMarkdown(description));
      assert.doesNotMatch(html, /<(?!\/?(?:p|ul|ol|li|blockquote|pre|code|strong|em|s|br|hr|a)\b)/);
    }),
    { numRuns: 500 },
  );
});

Deno.test("no letter and no digit of a description is lost", () => {
  const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, "");
  const marks =
    "*|**|_|__|~~|`|```|\n|\n\n|    |- |1. |2. |24. |> |# |+ |[|]|(|)|<|&amp;|\\|\\_|!|---|===";
  const typed = fc.array(fc.constantFrom(...marks.split("|"), "a", "Б", "7", " ", "語"));
  fc.assert(
    fc.property(typed, (parts) => {
      const description = parts.join("");
      assert.equal(letters(descriptionText(description)), letters(description));
    }),
    { numRuns: 500 },
  );
});

Deno.test("the API has a description as it is, the page and the feeds as HTML, the calendar as text", async () => {
  const description = "**When: **Monday\n- [tickets](https://x.org/)";
  await using foyer = await startFoyer({
    records: [row({ "id": "recA", "Name": "A", "Description": description })],
  });
  const get = async (path: string) => await (await foyer.answer(path)).text();
  const html = `<p><strong>When:</strong> Monday</p>\n<ul>\n<li><a href="https://x.org/" ${REL}>` +
    "tickets</a></li>\n</ul>";
  const text = "When: Monday\n\n- tickets (https://x.org/)";
  assert.equal(JSON.parse(await get("/api/v1/events/recA")).data.description, description);
  assert.ok((await get("/events/a")).includes(html));
  for (
    const [feed, path] of [["/feed.atom", "entry/content"], [
      "/api/v1/events/rss",
      "item/description",
    ]]
  ) {
    const texts = elementsOf(await get(String(feed))).filter((each) =>
      each.path.endsWith(String(path))
    );
    assert.ok(texts[0]?.text.endsWith(html), feed);
  }
  const [item] = JSON.parse(await get("/feed.json")).items;
  assert.ok(item.content_html.endsWith(html) && item.content_text.endsWith(text));
  const [event] = readCalendar(await get("/calendar.ics")).events;
  assert.ok(String(event?.["description"]).includes(text));
  assert.match(
    await get("/events/a.md"),
    /\*\*When:\*\* Monday\n\n- \[tickets\]\(https:\/\/x\.org\/\)/,
  );
});
