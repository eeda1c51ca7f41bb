/** The look of the site as visitors meet it, for the desk: what of it is set, and what could not be read. */

import type { Site } from "../../lib/events/site/site.ts";
import { accentsOf } from "../../lib/events/site/site_style.ts";
import { Facts } from "../shared/keys.tsx";

/** The facts of the site's look. `isSet` tells whether a variable is set: a file that is, and is not here, could not be read. */
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
    <Facts
      facts={{
        "Name": name,
        "Sentence": tagline ?? "none",
        ...color === null ? { "Colour": "the usual one" } : {
          "Colour on light screens": <Swatch color={accentsOf(color).light} />,
          "Colour on dark screens": <Swatch color={accentsOf(color).dark} />,
        },
        ...Object.fromEntries(files.map(([part, variable, file]) => [
          part,
          file === null
            ? isSet(variable) ? `${variable} could not be read; the log says why` : "the usual one"
            : file === font
            ? "your own"
            : <img key="file" src={file.href} alt="" height="36" />,
        ])),
      }}
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
