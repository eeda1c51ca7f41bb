/** `/mcp`: the events, the documents and the proxy for assistants, by the Model Context Protocol. */

import type { Context } from "fresh";
import { z } from "zod";
import {
  type Event,
  eventHref,
  eventItemSchema,
  eventListSchema,
  eventMarkdown,
  eventsMarkdown,
  LIST_DEFAULTS,
} from "../lib/events/mod.ts";
import {
  answerMcp,
  documentsMarkdown,
  type FoundSection,
  MAX_SEARCH_LENGTH,
  methods,
  type Page,
  queryParameters,
  searchDocuments,
  type State,
  type Tool,
  websearchSchema,
} from "../lib/operate/mod.ts";
import { searchOf } from "../lib/platform/address.ts";
import { twinOf } from "../lib/platform/http/negotiate.ts";
import { parseQuery } from "../lib/platform/http/url.ts";
import { text } from "../lib/platform/parameters.ts";
import { usageSchema } from "../lib/proxy/mod.ts";
import { documentsOf, searchedDocuments, STATUS } from "../components/documents/documents.tsx";
import { catalogBasis } from "../components/shared/prepared.tsx";
import * as getEvent from "./api/v1/events/[idOrSlug].ts";
import * as listEvents from "./api/v1/events/index.ts";
import * as decide from "./proxy/v1/decision/systemone.ts";
import * as usage from "./proxy/v1/usage.ts";
import * as answer from "./proxy/v1/websearch/answer.ts";
import * as contents from "./proxy/v1/websearch/contents.ts";
import * as findSimilar from "./proxy/v1/websearch/findSimilar.ts";
import * as search from "./proxy/v1/websearch/search.ts";

/** What a model should know about the list: unlike a program, it reads each event that it gets. */
const listOperation = {
  ...listEvents.operation,
  description: "Lists events. For what is on or comes next, give status upcoming,ongoing, order " +
    "asc and a small limit. Several values of a filter are separated by commas.",
};

const SEARCH_PARAMETERS = { query: text(MAX_SEARCH_LENGTH) };
const searchOperation = {
  summary: "Search the documents",
  description: "Finds the sections of this service's documents that contain all words: how to " +
    "use the events API, its feeds and the proxy, and what they cost.",
  parameters: queryParameters(SEARCH_PARAMETERS, { query: { description: "The words." } }),
};
const foundSchema = z.object({
  results: z.array(
    z.object({ href: z.url(), title: z.string(), within: z.string(), excerpt: z.string() }),
  ),
});

/** The tools that need a key: each is charged as its operation is. */
const KEYED: readonly Tool[] = [
  { name: "web_search", path: "websearch/search", endpoint: "search" as const, ...search },
  {
    name: "find_similar",
    path: "websearch/findSimilar",
    endpoint: "findSimilar" as const,
    ...findSimilar,
  },
  { name: "read_pages", path: "websearch/contents", endpoint: "contents" as const, ...contents },
  {
    name: "answer",
    path: "websearch/answer",
    endpoint: "answer" as const,
    isStream: true,
    ...answer,
  },
  {
    name: "decide",
    path: "decision/systemone",
    endpoint: "decision" as const,
    output: z.looseObject({ answers: z.record(z.string(), z.looseObject({})) }),
    ...decide,
  },
  { name: "usage", path: "usage", output: usageSchema, ...usage },
].map((tool) => ({ output: websearchSchema, ...tool, path: `/proxy/v1/${tool.path}` }));

function toolsOf(ctx: Context<State>): readonly Tool[] {
  const { state } = ctx;
  return [
    {
      name: "list_events",
      isKept: true,
      path: "/api/v1/events",
      handler: listEvents.handler,
      operation: listOperation,
      output: eventListSchema,
      toText: async ({ data }: { data: Event[] }) =>
        eventsMarkdown(data, await catalogBasis(state)),
    },
    {
      name: "get_event",
      path: "/api/v1/events/{idOrSlug}",
      ...getEvent,
      output: eventItemSchema,
      toText: async ({ data }: { data: Event }) =>
        eventMarkdown(data, [], await catalogBasis(state)),
    },
    {
      name: "search_documents",
      path: "/docs/search.json",
      operation: searchOperation,
      output: foundSchema,
      async handler({ req }) {
        const { query = "" } = parseQuery(searchOf(req.url), SEARCH_PARAMETERS);
        const results = searchDocuments(await searchedDocuments(ctx), query)
          .map(({ href, ...found }) => ({ href: state.site.baseUrl + href, ...found }));
        return Response.json({ results });
      },
      toText: ({ results }: { results: FoundSection[] }) =>
        documentsMarkdown([], "these words", results, ""),
    },
    ...KEYED,
  ];
}

/** Every listed document, then every event. */
async function pagesOf(ctx: Context<State>): Promise<readonly Page[]> {
  const { baseUrl } = ctx.state.site;
  const basis = await catalogBasis(ctx.state);
  const documents = (await documentsOf(ctx)).filter((each) => each !== STATUS);
  return [
    ...documents.map(({ address, name, title, markdown }) => (
      { uri: baseUrl + twinOf(address), name, title, markdown: () => markdown }
    )),
    ...basis.catalog.events(LIST_DEFAULTS).map((event) => ({
      uri: baseUrl + twinOf(eventHref(event.slug)),
      name: event.slug,
      title: event.name,
      markdown: () => eventMarkdown(event, [], basis),
    })),
  ];
}

export const handler = methods({
  POST: (ctx) => answerMcp(ctx, { tools: toolsOf(ctx), pages: () => pagesOf(ctx) }),
});
