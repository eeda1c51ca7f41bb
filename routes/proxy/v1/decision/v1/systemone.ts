/** `POST /proxy/v1/decision/v1/systemone`: the path that official clients call. */

import { atClientPath } from "../../../../../lib/operate/mod.ts";
import { operation as decide } from "../systemone.ts";

export { handler } from "../systemone.ts";

export const operation = atClientPath(decide, "decideAtClientPath");
