/** Members sign in by OpenID Connect: attempts, the identity provider, sessions, cookies. */

export {
  endSessionById,
  endSessions,
  IDLE_DAYS,
  listSessions,
  mayDelete,
  type Member,
  SESSION_DAYS,
} from "./sessions.ts";
export { ACCOUNT, createSignIn, DELETION, type SignIn } from "./sign_in.ts";
