/** The look of the site as visitors meet it, for the desk: what of it is set, and what could not be read. */

import type { Site } from "../../lib/events/site/site.ts";
import { accentsOf } from "../../lib/events/site/site_style.ts";
import { Table } from "../shared/Table.tsx";

/** The table of the site's look. `isSet` tells whether a variable is set: a file that is, and is not here, could not be read. */
export function Look({ site, isSet }: {
  readonly site: Site;
  readonly isSet: (variable: string) => boolean;
}) {
  const { name, tagline, color, logo, logoDark, icon, font } = site;
  const files = [
    ["Logo", "SITE_LOGO", logo],
    ["Logo on dark screens", "SITE_LOGO_DARK", logoDark],
    ["Icon", "SITE_ICON", icon],
    ["Font", "SITE_FONT", font],
  ] as const;
  return (
    <Table
      label="Look"
      head={["Part", "As visitors see it"]}
      rows={[
        ["Name", name],
        ["Sentence", tagline ?? "none"],
        ...color === null ? [["Colour", "the usual one"] as const] : [
          [
            "Colour on light screens",
            <Swatch key="light" color={accentsOf(color).light} />,
          ] as const,
          ["Colour on dark screens", <Swatch key="dark" color={accentsOf(color).dark} />] as const,
        ],
        ...files.map(([part, variable, file]) =>
          [
            part,
            file === null
              ? isSet(variable)
                ? `${variable} could not be read; the log says why`
                : "the usual one"
              : file === font
              ? "your own"
              : <img key="file" src={file.href} alt="" height="36" />,
          ] as const
        ),
      ]}
    />
  );
}

/** The chosen colour, as far as it had to be changed to be read. */
function Swatch({ color }: { readonly color: string }) {
  return (
    <>
      <svg width="16" height="16" aria-hidden="true">
        <rect width="16" height="16" fill={color} />
      </svg>{" "}
      <code>{color}</code>
    </>
  );
}
