/** The properties of SVG elements: from attributes, from `style`, and from the simple style sheets of drawing programs. */

import { LogoError, type Markup } from "./svg_markup.ts";

/** The written values of properties by their names. */
export type Properties = Readonly<Record<string, string>>;

/** The properties that an element's children inherit (SVG 2, appendix "Property Index"). */
const INHERITED = [
  ...["fill", "fill-opacity", "fill-rule", "clip-rule", "visibility"],
  ...["stroke", "stroke-width", "stroke-opacity", "stroke-linecap", "stroke-linejoin"],
  ...["stroke-miterlimit", "stroke-dasharray"],
];
const OWN = [
  ...["opacity", "clip-path", "mask", "filter", "display", "stop-color", "stop-opacity"],
];
/** A quoted text is one token; at the end of a sheet it may lack its second mark. */
const TOKEN = /"[^"]*"?|'[^']*'?|[@{};]|[^"'@{};]+/g;
const KNOWN: ReadonlySet<string> = new Set([...INHERITED, ...OWN]);
/** Each is compared with each element. */
const MAX_RULES = 1_000;

/** A rule for one simple selector. */
interface Rule {
  readonly selector: string;
  readonly properties: Properties;
}

/** Determines the properties of an element. */
export type StyleOf = (element: Markup, inherited: Properties) => Properties;

/**
 * Collects the style sheets of a file.
 *
 * @throws {LogoError} if one has a selector other than a name, a class or an id, or if they have too many.
 */
export function readStyles(root: Markup): StyleOf {
  const rules = sheetsIn(root).flatMap(readSheet)
    // In order of precedence: `*`, names, classes, ids (CSS Cascade).
    .sort((one, other) => rankOf(one) - rankOf(other));
  if (rules.length > MAX_RULES) throw new LogoError(`has more than ${MAX_RULES} rules of style`);

  return function styleOf(element, inherited) {
    const { attributes } = element;
    const selectors = new Set([
      "*",
      element.name,
      `#${attributes.get("id")}`,
      ...(attributes.get("class") ?? "").split(/\s+/).map((name) => `.${name}`),
    ]);
    const written = [...attributes].filter(([name]) => KNOWN.has(name));
    const passedOn = INHERITED.flatMap((name) => {
      const value = inherited[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    return Object.fromEntries([
      ...passedOn,
      ...written,
      ...rules.filter(({ selector }) => selectors.has(selector))
        .flatMap((rule) => Object.entries(rule.properties)),
      ...Object.entries(readDeclarations(attributes.get("style") ?? "")),
    ].filter(([, value]) => value !== "inherit" && value !== ""));
  };
}

function sheetsIn({ name, text, children }: Markup): string[] {
  return [...name === "style" ? [text] : [], ...children.flatMap(sheetsIn)];
}

/** Rules with an `@` are left out, such as those for dark screens: there a logo gets a plate if it needs one. */
function withoutAtRules(css: string): string {
  let [kept, isInAtRule, depth] = ["", false, 0];
  for (const [token] of css.matchAll(TOKEN)) {
    if (token === "@") isInAtRule = true;
    if (!isInAtRule) {
      kept += token;
      continue;
    }
    if (token === "{") depth++;
    if (token === "}") depth--;
    if (depth <= 0 && (token === "}" || token === ";")) [isInAtRule, depth] = [false, 0];
  }
  return kept;
}

function readSheet(sheet: string): Rule[] {
  const css = withoutAtRules(sheet.replaceAll(/\/\*[^]*?(?:\*\/|$)/g, "")).trim();
  const rules: Rule[] = [];
  let rest = css;
  for (const [whole, selectors = "", body = ""] of css.matchAll(/([^{}]*)\{([^{}]*)\}/gy)) {
    rest = rest.slice(whole.length);
    for (const typed of selectors.split(",")) {
      const selector = typed.trim();
      if (!/^(?:\*|[.#]?[\w-]+)$/.test(selector)) {
        throw new LogoError(
          `has a style sheet with ${JSON.stringify(selector.slice(0, 40))}; ` +
            "only names, classes and ids can be read",
        );
      }
      rules.push({ selector, properties: readDeclarations(body) });
    }
  }
  if (rest.trim() !== "") throw new LogoError("has a style sheet that cannot be read");
  return rules;
}

function readDeclarations(text: string): Properties {
  return Object.fromEntries(
    text.split(";").flatMap((declaration) => {
      const [typed = "", ...rest] = declaration.split(":");
      const name = typed.trim();
      // A value may have colons too, as `url(#a:b)` has.
      const value = rest.join(":").trim().replace(/!\s*important$/, "").trimEnd();
      return KNOWN.has(name) && value !== "" ? [[name, value]] : [];
    }),
  );
}

function rankOf({ selector }: Rule): number {
  if (selector.startsWith("#")) return 3;
  if (selector.startsWith(".")) return 2;
  return selector === "*" ? 0 : 1;
}
