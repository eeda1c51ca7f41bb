/** The configuration: the environment of the process, checked and with defaults, and where the service runs. */

export type { Claims } from "./claim_rule.ts";
export {
  type Config,
  ConfigError,
  listStrayNames,
  loadConfig,
  parseConfig,
  readEnvironment,
} from "./config.ts";
export { findDenoFault, isSideTimeline } from "./hosting.ts";
export { showValue } from "./mistakes.ts";
