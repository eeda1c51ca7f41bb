// The sample: real conferences and made-up programmes, as records of a table (`data/README.md` says whence).

import type { StandInAttachment, StandInRecord } from "./records.ts";

/** A row of `events.json`: a record, and the look of its card. */
interface Row extends StandInRecord {
  readonly style?: {
    /** One of `styles.json`, and of the pictures: `{name}.png` is a logo, `{name}.webp` a background. */
    readonly name: string;
    readonly logo: boolean;
    readonly background: boolean;
    readonly logoSize: number;
  };
}

/** Every event of the sample as a record, in the order of the start dates; fresh objects at each call. */
export function sampleRecords(): StandInRecord[] {
  const rows: Row[] = JSON.parse(Deno.readTextFileSync(file("events.json")));
  const styles: Record<string, object> = JSON.parse(Deno.readTextFileSync(file("styles.json")));
  const files = new Map(
    Object.keys(styles).map((name) => [name, {
      logo: image(`${name}.png`, "image/png", 256, 256),
      background: image(`${name}.webp`, "image/webp", 768, 512),
    }]),
  );
  return rows.map(({ style, ...record }) => {
    const pictures = files.get(style?.name ?? "");
    if (style === undefined || pictures === undefined) return record;
    const cells = {
      ...styles[style.name],
      "Theme Logo Size": style.logoSize,
      "Background Type": style.background ? "image" : "color",
      ...(style.logo ? { "Logo Url": [attachment("attL", record, pictures.logo)] } : {}),
      ...(style.background
        ? { "Background Image Url": [attachment("attB", record, pictures.background)] }
        : {}),
    };
    return { ...record, fields: { ...record.fields, ...cells } };
  });
}

function file(name: string): URL {
  return new URL(`data/${name}`, import.meta.url);
}

function image(name: string, type: string, width: number, height: number) {
  const bytes = Deno.readFileSync(file(`pictures/${name}`));
  return { filename: name, source: { bytes, type, width, height } };
}

function attachment(
  kind: string,
  { id }: StandInRecord,
  picture: ReturnType<typeof image>,
): StandInAttachment {
  return { id: kind + id.slice(4), ...picture };
}
