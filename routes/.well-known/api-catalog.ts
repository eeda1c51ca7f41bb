/** `/.well-known/api-catalog`: the API catalog (RFC 9727). */

import { answerMachine } from "../(_shared)/reference.ts";
import { methods } from "../(_shared)/methods.ts";

export const handler = methods({ GET: (ctx) => answerMachine(ctx, "catalog") });
