// The data of the record store's stand-in: records of cells, and attachments with their files.

/** A record as stored. A cell is what JSON can hold, or a list of `StandInAttachment`. */
export interface StandInRecord {
  id: string;
  /** ISO 8601, UTC. */
  createdTime: string;
  fields: Record<string, unknown>;
}

/** A file in a cell. */
export interface StandInAttachment {
  /** `att` and 14 letters or digits; the same as long as the file is. */
  readonly id: string;
  readonly filename: string;
  /** `width` and `height` only if it is an image. */
  readonly source: {
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly type: string;
    readonly width?: number;
    readonly height?: number;
  };
}

/** Whether an element of a cell is an attachment that the stand-in must sign and serve. */
export function isAttachment(item: unknown): item is StandInAttachment {
  return typeof item === "object" && item !== null && "source" in item && "filename" in item;
}

/** Airtable leaves empty cells out: nothing, blank text, unchecked boxes, empty lists. */
export function isEmptyCell(value: unknown): boolean {
  return value === undefined || value === null || value === "" || value === false ||
    (Array.isArray(value) && value.length === 0);
}
