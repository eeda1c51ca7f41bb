/** `POST /proxy/v1/decision/v1/systemone`: the path that official clients call. */

export { handler } from "../systemone.ts";
