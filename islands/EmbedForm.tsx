/** The form that makes the HTML of an embedded list, with a preview. */

import { useState } from "preact/hooks";
import {
  EMBED_THEMES,
  embedHref,
  type EmbedTheme,
  frameHtml,
  LIST_SIZE,
  MAX_EMBEDDED,
  parseEmbed,
} from "../lib/embeds/browser.ts";
import { filterInWords, FILTERS } from "../lib/site/browser.ts";

const THEME_LABELS: Readonly<Record<EmbedTheme, string>> = {
  auto: "Automatic",
  light: "Light",
  dark: "Dark",
};

/** The form; without a script it shows the default list. */
export default function EmbedForm({ baseUrl }: { baseUrl: string }) {
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const embed = parseEmbed(new URLSearchParams(chosen).toString());
  const address = embedHref(embed);
  const title = filterInWords(embed.filter) ?? "Events";
  const html = frameHtml(`${baseUrl}${address}`, title, LIST_SIZE);
  const choose = (name: string, value: string) => setChosen({ ...chosen, [name]: value });

  const names = { statuses: "status", formats: "format", projectTypes: "projectType" } as const;
  return (
    <section class="embed-form" aria-labelledby="make-html">
      <h2 id="make-html">Make the HTML</h2>
      <div class="fields">
        {FILTERS.map(({ name, label, values }) => (
          <label key={name}>
            {label}
            <select onChange={(event) => choose(names[name], event.currentTarget.value)}>
              <option value="">Any</option>
              {values.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
            </select>
          </label>
        ))}
        <label>
          Events
          <input
            type="number"
            min={1}
            max={MAX_EMBEDDED}
            value={embed.limit}
            onChange={(event) => choose("limit", event.currentTarget.value)}
          />
        </label>
        <label>
          Looks
          <select onChange={(event) => choose("theme", event.currentTarget.value)}>
            {EMBED_THEMES.map((theme) => (
              <option key={theme} value={theme}>{THEME_LABELS[theme]}</option>
            ))}
          </select>
        </label>
      </div>
      <div class="sample">
        <div class="sample-head">
          <span>HTML</span>
        </div>
        <pre class="scroll"><code>{html}</code></pre>
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
