/** The form that makes the HTML of an embedded list, with a preview. */

import { useState } from "preact/hooks";
import {
  embedHref,
  filterInWords,
  FILTERS,
  frameHtml,
  LIST_SIZE,
  MAX_EMBEDDED,
  parseEmbed,
} from "../lib/events/browser.ts";

const THEMES = [["auto", "Automatic"], ["light", "Light"], ["dark", "Dark"]] as const;

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
          <Choice
            key={name}
            label={label}
            values={[["", "Any"], ...values]}
            onChoose={(value) => choose(names[name], value)}
          />
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
        <Choice label="Looks" values={THEMES} onChoose={(value) => choose("theme", value)} />
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

function Choice({ label, values, onChoose }: {
  readonly label: string;
  readonly values: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string) => void;
}) {
  return (
    <label>
      {label}
      <select onChange={(event) => onChoose(event.currentTarget.value)}>
        {values.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
      </select>
    </label>
  );
}
