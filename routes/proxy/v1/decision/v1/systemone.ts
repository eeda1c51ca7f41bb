/** `POST /proxy/v1/decision/v1/systemone`: the path that official clients call (proxy contract, section 4). */

export { handler } from "../systemone.ts";
