/** A member's page: the data that it shows, and the forms on it. */

export { exportMember } from "./export.ts";
export {
  type Fields,
  LIFETIMES,
  OVERLAPS,
  readKeyForm,
  readKeyLimits,
  readLabel,
  readOverlap,
} from "./key_form.ts";
export {
  type AccountView,
  endpointNames,
  type KeyView,
  listLatestRequests,
  type OneKeyView,
  readAccountView,
  readKeyView,
} from "./view.ts";
