// A stand-in for the web search provider: the part of Exa's API that clients use, over thirty pages in memory.
// Answers are computed from the words in question.

import { readDecimal, writeUsd } from "./money.ts";
import { createProviderStandIn, type ProviderOptions, type ProviderStandIn } from "./provider.ts";
import {
  type CostFault,
  ERROR_TEXTS,
  type FaultStatus,
  FIGURE,
  jsonAnswer,
  type ProviderAnswer,
  type ProviderRequest,
} from "./provider_answer.ts";
import { createPageIndex, type Filter, type Hit } from "./websearch_index.ts";
import { ANSWER_COST, contentsCost, type Cost, searchCost, totalOf } from "./websearch_prices.ts";
import {
  type ContentsOptions,
  type Fields,
  parseBody,
  readAddresses,
  readContents,
  readFilter,
  readNumResults,
  readSubpages,
  Refused,
  requiredText,
} from "./websearch_request.ts";
import { compose, fillSchema, resultOf, streamAnswer } from "./websearch_results.ts";

/** The result of a request: a body or a stream, and its price. */
type Outcome =
  | { readonly body: Fields; readonly cost: Cost }
  | { readonly stream: ReturnType<typeof compose>; readonly cost: Cost };

/**
 * Creates a stand-in. It opens no port: serve `fetch`.
 *
 * @example
 * ```ts
 * const websearch = createWebsearchStandIn({ apiKey: "key", now: () => 0 });
 * const response = await websearch.fetch(
 *   new Request("http://websearch.test/search", {
 *     method: "POST",
 *     headers: { "x-api-key": "key", "x-request-id": "a" },
 *     body: JSON.stringify({ query: "sourdough bread" }),
 *   }),
 * );
 * const { results } = await response.json();
 * if (results[0].url !== "https://sandbox.example/cooking/sourdough") throw new Error("unexpected");
 * if (websearch.charges.get("a") !== 7_000_000n) throw new Error("unexpected");
 * ```
 */
export function createWebsearchStandIn(options: ProviderOptions): ProviderStandIn {
  const { apiKey } = options;
  const pages = createPageIndex();

  const routes: Readonly<Record<string, (fields: Fields) => Outcome>> = {
    "/search": search,
    "/findSimilar": findSimilar,
    "/contents": contents,
    "/answer": answerQuestion,
  };

  function search(fields: Fields): Outcome {
    const query = requiredText(fields, "query");
    const found = find(query, fields, readFilter(fields));
    const { hits, cost } = found;
    const { stream, type, outputSchema } = fields;
    if (stream === true) return { stream: compose(hits, query, false), cost };
    const output = (outputSchema ?? null) === null
      ? {}
      : { output: structured(outputSchema, compose(hits, query, false)) };
    const resolvedSearchType = typeof type === "string" && type !== "auto" ? type : "neural";
    return { body: { resolvedSearchType, results: found.results, ...output }, cost };
  }

  function findSimilar(fields: Fields): Outcome {
    const url = requiredText(fields, "url");
    const { text = url, title = "" } = pages.get(url) ?? {};
    const others = [url.replace(/^https?:\/\//, "")];
    const filter = readFilter(fields);
    if (fields["excludeSourceDomain"] === true) others.push(others[0]?.split("/")[0] ?? "");
    const excludeDomains = [...filter.excludeDomains ?? [], ...others];
    const { results, cost } = find(`${title} ${text}`, fields, { ...filter, excludeDomains });
    return { body: { results }, cost };
  }

  /** The best pages for a question, in the requested number and with the requested contents. */
  function find(question: string, fields: Fields, filter: Filter) {
    const wanted = readContents(fields["contents"]);
    const count = readSubpages(fields["contents"]);
    const hits = pages.rank(question, filter).slice(0, readNumResults(fields));
    const { results, subpages } = withSubpages(hits, wanted, count, question);
    const cost = searchCost(fields["type"], hits.length, subpages, Object.keys(wanted));
    return { hits, results, cost };
  }

  /** Pages with the requested contents and their subpages, which have the same; and the number of subpages. */
  function withSubpages(
    hits: readonly (Pick<Hit, "page"> & Partial<Hit>)[],
    wanted: ContentsOptions,
    count: number,
    question?: string,
  ) {
    let subpages = 0;
    const results = hits.map((hit) => {
      const result = resultOf(hit, wanted, question ?? hit.page.title);
      if (count === 0) return result;
      const below = pages.subpages(hit.page, count);
      subpages += below.length;
      const about = below.map((page) => resultOf({ page }, wanted, question ?? page.title));
      return { ...result, subpages: about };
    });
    return { results, subpages };
  }

  function contents(fields: Fields): Outcome {
    const asked = readContents(fields);
    // Without a requested content, the whole text is returned.
    const wanted = Object.keys(asked).length > 0 ? asked : { text: { maxCharacters: Infinity } };
    const looked = readAddresses(fields).map((id) => ({ id, page: pages.get(id) }));
    const found = looked.flatMap(({ page }) => page === undefined ? [] : [{ page }]);
    const { results, subpages } = withSubpages(found, wanted, readSubpages(fields));
    return {
      body: {
        results,
        statuses: looked.map(({ id, page }) =>
          page === undefined
            ? { id, status: "error", error: { tag: "CRAWL_NOT_FOUND", httpStatusCode: 404 } }
            : { id, status: "success", source: "cached" }
        ),
      },
      cost: contentsCost(found.length + subpages, Object.keys(wanted)),
    };
  }

  function answerQuestion(fields: Fields): Outcome {
    const query = requiredText(fields, "query");
    const composed = compose(pages.rank(query, {}), query, fields["text"] === true);
    if (fields["stream"] === true) return { stream: composed, cost: ANSWER_COST };
    const { outputSchema } = fields;
    const answer = (outputSchema ?? null) === null
      ? composed.answer
      : fillSchema(outputSchema, composed.answer);
    return { body: { answer, citations: composed.citations }, cost: ANSWER_COST };
  }

  function answer(request: ProviderRequest, fault: CostFault | undefined): ProviderAnswer {
    const { id, method, path, headers, body } = request;
    const isKnown = headers.get("x-api-key") === apiKey ||
      headers.get("Authorization") === `Bearer ${apiKey}`;
    if (!isKnown) return refusal(401, id);
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    if (route === undefined || method !== "POST") return refusal(404, id);
    try {
      return priced(route(parseBody(body)), request, fault);
    } catch (error) {
      if (error instanceof Refused) return refusal(error.status, id, [error.tag, error.message]);
      throw error;
    }
  }

  return createProviderStandIn(
    { answer, refuse: (status, { id }) => refusal(status, id) },
    options,
  );
}

/** An error answer: flat, and without id and tag after too many requests. */
function refusal(
  status: FaultStatus,
  requestId: string,
  [tag, error] = [TAGS[status], ERROR_TEXTS[status]],
): ProviderAnswer {
  return jsonAnswer(status === 429 ? { error } : { requestId, error, tag }, { status });
}

const TAGS: Readonly<Record<FaultStatus, string>> = {
  400: "INVALID_REQUEST_BODY",
  401: "INVALID_API_KEY",
  402: "NO_MORE_CREDITS",
  403: "ROBOTS_FILTER_FAILED",
  404: "NOT_FOUND",
  422: "FETCH_DOCUMENT_ERROR",
  429: "RATE_LIMITED",
  500: "INTERNAL_ERROR",
  502: "DEFAULT_ERROR",
  503: "SERVICE_OVERLOADED",
  529: "SERVICE_OVERLOADED",
};

/** The outcome as it is sent, with its cost. */
function priced(
  outcome: Outcome,
  { id: requestId, at }: ProviderRequest,
  fault: CostFault | undefined,
): ProviderAnswer {
  const total = totalOf(outcome.cost);
  const figure = fault?.kind === "cost" ? fault.text : writeUsd(total);
  const chargeNanoUsd = readDecimal(figure, 1_000_000_000n) ?? total;
  const costDollars = fault?.kind === "missing-cost"
    ? {}
    : { costDollars: { total: FIGURE, ...interior(outcome.cost) } };
  if ("stream" in outcome) {
    return streamAnswer(outcome.stream, { requestId, at, ...costDollars, figure, chargeNanoUsd });
  }
  return jsonAnswer(
    { requestId, sandbox: true, ...outcome.body, ...costDollars },
    { figure, chargeNanoUsd },
  );
}

/** The parts of the total. Thousandths of a dollar are few enough for a number to show each exactly. */
function interior({ search, contents }: Cost): Fields {
  const shown = Object.entries(contents ?? {}).map((
    [kind, part],
  ) => [kind, Number(writeUsd(part))]);
  return {
    ...(search === undefined ? {} : { search: { neural: Number(writeUsd(search)) } }),
    ...(shown.length === 0 ? {} : { contents: Object.fromEntries(shown) }),
  };
}

function structured(schema: unknown, { answer, citations }: ReturnType<typeof compose>): Fields {
  return { content: fillSchema(schema, answer), grounding: [{ field: "content", citations }] };
}
