// The conferences' topics and languages in the words of a sentence, and the kinds of project of each topic.

/** A topic's name in a sentence, and the project types that fit it. */
interface Topic {
  readonly label: string;
  readonly projectTypes: readonly string[];
}

const SOFTWARE = ["Software"];
const WEBSITES = ["Websites"];
const OTHER = ["Other"];

const TOPICS: Record<string, Topic> = {
  accessibility: { label: "accessibility", projectTypes: WEBSITES },
  android: { label: "Android", projectTypes: SOFTWARE },
  api: { label: "APIs", projectTypes: SOFTWARE },
  clojure: { label: "Clojure", projectTypes: SOFTWARE },
  cpp: { label: "C++", projectTypes: ["Software", "Gamedev"] },
  css: { label: "CSS", projectTypes: WEBSITES },
  data: { label: "data", projectTypes: SOFTWARE },
  devops: { label: "DevOps", projectTypes: SOFTWARE },
  dotnet: { label: ".NET", projectTypes: ["Software", "Gamedev"] },
  general: { label: "software in general", projectTypes: ["Software", "Other"] },
  graphql: { label: "GraphQL", projectTypes: ["Websites", "Software"] },
  groovy: { label: "Groovy", projectTypes: SOFTWARE },
  identity: { label: "digital identity", projectTypes: SOFTWARE },
  ios: { label: "iOS", projectTypes: SOFTWARE },
  iot: { label: "the Internet of Things", projectTypes: ["Electronics", "CAD"] },
  java: { label: "Java", projectTypes: SOFTWARE },
  javascript: { label: "JavaScript", projectTypes: WEBSITES },
  kotlin: { label: "Kotlin", projectTypes: SOFTWARE },
  leadership: { label: "leadership", projectTypes: OTHER },
  networking: { label: "networking", projectTypes: ["Electronics"] },
  opensource: { label: "open source", projectTypes: SOFTWARE },
  performance: { label: "performance", projectTypes: WEBSITES },
  php: { label: "PHP", projectTypes: WEBSITES },
  product: { label: "product management", projectTypes: OTHER },
  python: { label: "Python", projectTypes: SOFTWARE },
  ruby: { label: "Ruby", projectTypes: ["Websites", "Software"] },
  rust: { label: "Rust", projectTypes: SOFTWARE },
  scala: { label: "Scala", projectTypes: SOFTWARE },
  security: { label: "security", projectTypes: ["Software", "Other"] },
  sre: { label: "site reliability", projectTypes: SOFTWARE },
  testing: { label: "testing", projectTypes: SOFTWARE },
  typescript: { label: "TypeScript", projectTypes: ["Websites", "Software"] },
  ux: { label: "design", projectTypes: ["Websites", "Other"] },
};

const LANGUAGES = new Intl.DisplayNames("en", { type: "language" });

/** The facts about a topic; an unlisted topic keeps its own name. */
export function describeTopic(topic: string): Topic {
  return TOPICS[topic] ?? { label: topic, projectTypes: OTHER };
}

/** The English names of languages given as `EN,DE`; the data write Czech as CS. */
export function languageNames(locales: string): string[] {
  return locales.split(",").map((code) => LANGUAGES.of(code.toLowerCase()) ?? code);
}
