/** Backups: a copy of a database in use, and a database filled from it. */

export { backUp } from "./backup.ts";
export { BackupFileError } from "./file.ts";
export { NotEmptyError, restore } from "./restore.ts";
