/** The front of the members: sign-in, sessions and what a member's page shows. */

export { readPurpose } from "./attempt.ts";
export { exportMember } from "./export.ts";
export {
  actOnKey,
  type Fields,
  LIFETIMES,
  OVERLAPS,
  readAmount,
  readKeyForm,
  unknownAction,
  wrongField,
} from "./forms.ts";
export {
  CHANGES_MINUTES,
  endSessionById,
  endSessions,
  IDLE_DAYS,
  mayChange,
  mayDelete,
  type Member,
  OPERATOR_HOURS,
  SESSION_DAYS,
} from "./sessions.ts";
export { ACCOUNT, createSignIn, DELETION, type SignIn } from "./sign_in.ts";
export {
  type AccountView,
  endpointNames,
  type KeyView,
  type OneKeyView,
  readAccountView,
  readKeyView,
} from "./view.ts";
