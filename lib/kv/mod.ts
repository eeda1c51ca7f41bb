/**
 * Access to Deno KV. Every read and write checks the format of its value; leases, group commit, large values and
 * shared copies build on them.
 */

export { getBlobPointer, getStoredBlob, readBlob } from "./blob.ts";
export { inFittingParts } from "./commit_size.ts";
export { daysSeen, firstDayOf, seeDay } from "./days_seen.ts";
export { createNewerReporter, type Entry, type LeaveOut, NewerFormatError } from "./formats.ts";
export { type Change, createGroupCommit, type Draft } from "./group_commit.ts";
export { type Lease, takeLease } from "./lease.ts";
export {
  getEntries,
  getEntry,
  hasEntries,
  listEntries,
  listLatestEntries,
  listStored,
  type Stored,
} from "./list.ts";
export { isDatabaseFailure, isRemote, openKv, retryLocked } from "./open.ts";
export {
  type Copy,
  createSharedCopy,
  jsonCodec,
  PATIENCE_MILLISECONDS,
  PausedError,
  type SharedCopy,
} from "./shared_copy.ts";
export { countChecks, findNewerFormats } from "./survey.ts";
export { beginAtomic, commitOnce, setEntry, setStored, updateEntry } from "./write.ts";
