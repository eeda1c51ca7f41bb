/** The form that makes the HTML of an embedded list, with a preview. */

import { useState } from "preact/hooks";
import {
  EMBED_THEMES,
  embedHref,
  type EmbedTheme,
  filterInWords,
  FILTERS,
  frameHtml,
  LIST_SIZE,
  MAX_EMBEDDED,
  parseEmbed,
} from "../lib/site/browser.ts";

const THEME_LABELS: Readonly<Record<EmbedTheme, string>> = {
  auto: "As the visitor's system",
  light: "Light",
  dark: "Dark",
};

/** The form; without a script it shows the list as it is by default. */
export default function EmbedForm({ baseUrl }: { baseUrl: string }) {
  const [search, setSearch] = useState("");
  const embed = parseEmbed(search);
  const address = embedHref(embed);
  const title = filterInWords(embed.filter) ?? "Events";
  const html = frameHtml(`${baseUrl}${address}`, title, LIST_SIZE);

  function change(form: HTMLFormElement): void {
    const given = [...new FormData(form)].filter(([, value]) => value !== "");
    setSearch(new URLSearchParams(given.map(([name, value]) => [name, `${value}`])).toString());
  }

  const names = { statuses: "status", formats: "format", projectTypes: "projectType" } as const;
  return (
    <section class="embed-form" aria-labelledby="make-html">
      <h2 id="make-html">Make the HTML</h2>
      <form
        onChange={({ currentTarget }) => change(currentTarget)}
        onSubmit={(event) => event.preventDefault()}
      >
        {FILTERS.map(({ name, label, values }) => (
          <label key={name}>
            {label}
            <select name={names[name]}>
              <option value="">Any</option>
              {values.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
            </select>
          </label>
        ))}
        <label>
          Events
          <input name="limit" type="number" min={1} max={MAX_EMBEDDED} value={embed.limit} />
        </label>
        <label>
          Looks
          <select name="theme">
            {EMBED_THEMES.map((theme) => (
              <option key={theme} value={theme}>{THEME_LABELS[theme]}</option>
            ))}
          </select>
        </label>
      </form>
      <div class="sample">
        <div class="sample-head">
          <span>HTML</span>
        </div>
        <pre
          class="scroll"
          tabindex={0}
          aria-label="The HTML of the frame"
        ><code>{html}</code></pre>
      </div>
      <iframe
        class="embed-preview"
        src={address}
        title={`Preview: ${title}`}
        height={LIST_SIZE.height}
        loading="lazy"
      />
    </section>
  );
}
