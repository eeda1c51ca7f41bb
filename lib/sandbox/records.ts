// The data of the record store's stand-in: records of cells, and attachments whose files are made on request.

import { type Picture, renderPicture } from "./artwork.ts";

/** A record as stored. A cell is what JSON can hold, or a list of `StandInAttachment`. */
export interface StandInRecord {
  id: string;
  /** ISO 8601, UTC. */
  createdTime: string;
  fields: Record<string, unknown>;
}

/** A file in a cell: a picture to draw, or the bytes themselves. */
export interface StandInAttachment {
  /** `att` and 14 letters or digits; the same as long as the file is. */
  readonly id: string;
  readonly filename: string;
  readonly source: Picture | StoredFile;
}

/** A file given as its bytes; `width` and `height` only if it is an image. */
interface StoredFile {
  readonly kind: "file";
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly width?: number;
  readonly height?: number;
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

const drawn = new Map<string, Uint8Array<ArrayBuffer>>();

/**
 * The bytes of an attachment's file. Drawn pictures are kept for the life of the process: drawing depends on the
 * description alone, and the sample has some 150 different ones of about 20 KB.
 */
export function fileBytes({ source }: StandInAttachment): Uint8Array<ArrayBuffer> {
  if (source.kind === "file") return source.bytes;
  const key = JSON.stringify(source);
  const bytes = drawn.get(key) ?? renderPicture(source);
  drawn.set(key, bytes);
  return bytes;
}
