/** The page of a member: what it shows, and what its forms ask for. */

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
  type KeyView,
  namesOfEndpoints,
  type OneKeyView,
  readAccountView,
  readKeyView,
  type RequestView,
} from "./view.ts";
