/** The limits and prices of the proxy, as the documents state them. */

import type { Config } from "../platform/config/config.ts";
import { type NanoUsd, NEAR_LIMIT_LEFT_PERCENT, toUsd } from "../platform/money.ts";
import {
  IMAGE_TOKENS,
  MAX_STATED_TOKENS,
  OVERHEAD_TOKENS,
  PRICE_PER_MILLION_TOKENS,
} from "./decision.ts";
import { WHOLE_BYTES } from "./internal/forward.ts";
import { LONGEST_RESERVATION_SECONDS } from "./ledger/ledger.ts";
import {
  MAX_COPIES_BYTES,
  MAX_COPY_BYTES,
  MAX_EVENT_LENGTH,
  MAX_REQUEST_COST,
} from "./internal/meter.ts";
import { bodiesBytes, MAX_LARGE_ANSWERS, MAX_REQUESTS } from "./proxy.ts";
import { RATE_WINDOW_SECONDS } from "../accounts/account.ts";
import { QUICK_REFUSALS, reservationSeconds } from "./limits.ts";
import { MAX_DEPTH } from "./request_json.ts";
import { SMALL_BYTES } from "./upstream.ts";
import {
  ANSWER,
  DEAREST_SEARCH,
  INCLUDED_RESULTS,
  MAX_ESTIMATE,
  PAGE,
  SEARCH,
} from "./websearch.ts";

/** Each figure by its name in the documents; amounts are in USD. */
export function proxyFigures(config: Config): Record<string, number> {
  return {
    dailyLimitUsd: toUsd(config.DAILY_LIMIT_USD),
    decisionPriceUsd: toUsd(PRICE_PER_MILLION_TOKENS),
    nearLimitLeftPercent: NEAR_LIMIT_LEFT_PERCENT,
    rateRequests: config.RATE_LIMIT_REQUESTS,
    rateWindowSeconds: RATE_WINDOW_SECONDS,
    quickRefusals: QUICK_REFUSALS,
    maxBodyBytes: config.MAX_BODY_BYTES,
    upstreamTimeoutSeconds: config.UPSTREAM_TIMEOUT_SECONDS,
    reservationSeconds: reservationSeconds(config),
    longestSeconds: LONGEST_RESERVATION_SECONDS,
    processRequests: MAX_REQUESTS,
    accountRequests: MAX_REQUESTS / 2,
    processBodyBytes: bodiesBytes(config),
    accountBodyBytes: bodiesBytes(config) / 2,
    smallAnswerBytes: SMALL_BYTES,
    accountLargeAnswers: MAX_LARGE_ANSWERS / 2,
    wholeAnswerBytes: WHOLE_BYTES,
    maxCopyBytes: MAX_COPY_BYTES,
    maxCopiesBytes: MAX_COPIES_BYTES,
    maxEventLength: MAX_EVENT_LENGTH,
    maxJsonDepth: MAX_DEPTH,
    maxEstimateUsd: toUsd(MAX_ESTIMATE),
    maxStatedUsd: toUsd(MAX_REQUEST_COST),
    maxStatedTokens: MAX_STATED_TOKENS,
    cheapestSearchUsd: toUsd([...SEARCH.values()].reduce(lower)),
    dearestSearchUsd: toUsd(DEAREST_SEARCH),
    includedResults: Number(INCLUDED_RESULTS),
    pageUsd: toUsd(PAGE),
    answerUsd: toUsd(ANSWER),
    imageTokens: Number(IMAGE_TOKENS),
    overheadTokens: Number(OVERHEAD_TOKENS),
  };
}

function lower(a: NanoUsd, b: NanoUsd): NanoUsd {
  return a < b ? a : b;
}
