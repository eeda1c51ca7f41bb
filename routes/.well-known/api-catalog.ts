/** `/.well-known/api-catalog`: the API catalog (RFC 9727). */

import { answerMachine } from "../../components/documents/machine.ts";
import { methods } from "../../lib/operate/mod.ts";

export const handler = methods({ GET: (ctx) => answerMachine(ctx, "catalog") });
