/** `GET /up`: the health report and the credit left. */

import { z } from "zod";
import type { HealthRecord } from "../lib/operate/health/report.ts";
import { headerRefs } from "../lib/operate/reference/headers.ts";
import { json, type Operation, recordedAnswer } from "../lib/operate/reference/operation.ts";
import { methods } from "../lib/operate/routes/methods.ts";
import { createResponse } from "../lib/platform/http/representation.ts";

export const handler = methods({
  async GET({ state: { services: { health } } }) {
    const report = await health.get();
    const fields = { "content-type": "application/json", "cache-control": "no-store" };
    return createResponse(JSON.stringify(report), fields, report.status === "up" ? 200 : 503);
  },
});

const usd = z.number();
const healthSchema = z.object({
  status: z.enum(["up", "down"]).describe("up if every check passed, else down."),
  database: z.boolean().describe("Database reachable."),
  analytics: z.boolean().describe("Analytics database reachable."),
  router: z.boolean().describe("Chat, embeddings and image provider reachable."),
  ocr: z.boolean().describe("OCR provider reachable."),
  websearch: z.boolean().describe("Web search provider reachable."),
  balanceRemaining: usd.optional().describe("Credit left with the chat provider, USD."),
  dailyKeyUsageRemaining: usd.optional().describe("Spend left on the provider's key, USD."),
  keyLimitRemaining: usd.optional().describe("The same as dailyKeyUsageRemaining."),
  keyUsage: usd.optional().describe("Total spend on the provider's key, USD."),
  mediaUnusedCredit: usd.optional().describe("Credit left with the media provider, USD."),
  timestamp: z.int().describe("When the checks began, in milliseconds since the Unix epoch."),
}).meta({ id: "Health" }) satisfies z.ZodType<HealthRecord>;

export const operation: Operation = {
  operationId: "getHealth",
  group: "Account and health",
  summary: "Health check",
  description:
    "Reports whether every dependency is reachable and how much credit is left. The report is at " +
    "most 30 seconds old. " +
    "A dependency that this installation does not use counts as reachable.",
  errors: ["method_not_allowed"],
  isUncached: true,
  answer: { description: "Everything is up.", content: json(healthSchema) },
  otherResponses: {
    503: {
      description: "A check failed, or this process is shutting down.",
      headers: headerRefs("X-Request-Id"),
      content: json(healthSchema, {
        ...recordedAnswer("getHealth") as object,
        status: "down",
        websearch: false,
      }),
    },
  },
};
