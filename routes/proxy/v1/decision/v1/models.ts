/** `GET /proxy/v1/decision/v1/models`: the path that official clients call. */

export { handler } from "../models.ts";
