/** `/mcp`: the events, the documents and the proxy for assistants, by the Model Context Protocol. */

import type { Context } from "fresh";
import { z } from "zod";
import * as model from "../lib/events/model.ts";
import { LIST_DEFAULTS } from "../lib/events/query.ts";
import { eventMarkdown, eventsMarkdown } from "../lib/events/site/markdown.ts";
import { MAX_SEARCH_LENGTH, searchDocuments } from "../lib/operate/documents/search.ts";
import { answerMcp, type Page, type Tool } from "../lib/operate/mcp.ts";
import { queryParameters } from "../lib/operate/reference/operation.ts";
import { methods } from "../lib/operate/routes/methods.ts";
import type { State } from "../lib/operate/state.ts";
import { searchOf } from "../lib/platform/address.ts";
import { twinOf } from "../lib/platform/http/negotiate.ts";
import { escapeText } from "../lib/platform/escape.ts";
import { link, list } from "../lib/platform/markdown.ts";
import { parseQuery, text } from "../lib/platform/parameters.ts";
import { usageSchema } from "../lib/proxy/usage.ts";
import { documentsOf, STATUS } from "../components/documents/documents.tsx";
import { catalogScope } from "../components/shared/kept_pages.tsx";
import * as getEvent from "./api/v1/events/[idOrSlug].ts";
import * as listEvents from "./api/v1/events/index.ts";
import * as decide from "./proxy/v1/decision/systemone.ts";
import * as usage from "./proxy/v1/usage.ts";
import * as answer from "./proxy/v1/websearch/answer.ts";
import * as contents from "./proxy/v1/websearch/contents.ts";
import * as similar from "./proxy/v1/websearch/findSimilar.ts";
import * as search from "./proxy/v1/websearch/search.ts";

/** Events in a list without a limit: unlike a program, a model reads each of them. */
const LISTED = 20;
const listOperation = {
  ...listEvents.operation,
  parameters: (listEvents.operation.parameters ?? []).map((parameter) =>
    parameter.name !== "limit" ? parameter : {
      ...parameter,
      description: "The number of events.",
      schema: { ...parameter.schema, default: LISTED },
    }
  ),
  description: `Lists events, ${LISTED} unless a limit is given. For what is on or comes next, ` +
    "give the status upcoming and ongoing and the order asc.",
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

/** A tool that needs a key is charged as its operation is. */
const TOOLS: readonly Tool[] = [
  {
    name: "list_events",
    path: "/api/v1/events",
    handler: listEvents.handler,
    operation: listOperation,
    output: model.eventListSchema,
    toText: async ({ data, meta: { hint } }: model.EventList, state) => {
      const scope = await catalogScope(state);
      // The catalog's own objects, since each keeps its line.
      const events = data.map((event) => scope.catalog.event(event.id) ?? event);
      return hint ?? eventsMarkdown(events, scope);
    },
  },
  {
    name: "get_event",
    path: "/api/v1/events/{idOrSlug}",
    ...getEvent,
    output: model.eventItemSchema,
    toText: async ({ data }: { data: model.Event }, state) =>
      eventMarkdown(data, [], await catalogScope(state)),
  },
  {
    name: "search_documents",
    path: "/docs/search.json",
    operation: searchOperation,
    output: foundSchema,
    async handler(ctx) {
      const { query = "" } = parseQuery(searchOf(ctx.req.url), SEARCH_PARAMETERS);
      const results = searchDocuments((await documentsOf(ctx)).searched, query)
        .map(({ href, ...found }) => ({ href: ctx.state.site.baseUrl + href, ...found }));
      return Response.json({ results });
    },
    toText: ({ results }: z.output<typeof foundSchema>) =>
      results.length === 0 ? "No section contains all of these words." : list(
        results.map(({ href, title, excerpt }) => `${link(title, href)}: ${escapeText(excerpt)}`),
      ),
  },
  { name: "web_search", ...search, endpoint: "search" },
  { name: "find_similar", ...similar, endpoint: "findSimilar" },
  { name: "read_pages", ...contents, endpoint: "contents" },
  { name: "answer", ...answer, endpoint: "answer" },
  { name: "decide", ...decide, endpoint: "decision" },
  { name: "usage", path: "/proxy/v1/usage", ...usage, output: usageSchema },
];

/** Every listed document, then every event. */
async function pagesOf(ctx: Context<State>): Promise<readonly Page[]> {
  const { baseUrl } = ctx.state.site;
  const scope = await catalogScope(ctx.state);
  const documents = (await documentsOf(ctx)).listed.filter((each) => each !== STATUS);
  const page = (address: string, name: string, title: string, markdown: Page["markdown"]) => (
    { uri: baseUrl + twinOf(address), name, title, markdown }
  );
  return [
    ...documents.map((each) => page(each.address, each.name, each.title, () => each.markdown)),
    ...scope.catalog.events(LIST_DEFAULTS).map((event) => {
      const href = model.eventHref(event.slug);
      return page(href, event.slug, event.name, () => eventMarkdown(event, [], scope));
    }),
  ];
}

export const handler = methods({ POST: (ctx) => answerMcp(ctx, TOOLS, () => pagesOf(ctx)) });
