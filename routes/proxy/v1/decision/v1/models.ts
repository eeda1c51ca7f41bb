/** `GET /proxy/v1/decision/v1/models`: the path that official clients call (proxy contract, section 4). */

export { handler } from "../models.ts";
