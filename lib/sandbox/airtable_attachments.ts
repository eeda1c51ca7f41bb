// Attachment cells and the files behind them: every read of a cell signs its addresses again, and an address expires
// two hours after it was signed.

import { createHmac, timingSafeEqual } from "node:crypto";
import { errorResponse } from "./airtable_errors.ts";
import type { StandInAttachment } from "./records.ts";

/** How long an address of a file works after it was signed. */
const SIGNED_URL_LIFETIME_MS = 2 * 60 * 60 * 1000;

/** Where files live below the stand-in's address: `/files/{attachment id}/original/{file name}`. */
export const FILES_PATH = "/files/";

/** The dependencies of signing and serving. */
interface AttachmentOptions {
  readonly origin: () => string;
  readonly signingSecret: string;
  readonly now: () => number;
  readonly find: (id: string) => StandInAttachment | undefined;
}

/** The cell of an attachment as a listing shows it, and the answer to a request for its file. */
interface Attachments {
  cell(attachment: StandInAttachment): Record<string, unknown>;
  serve(request: Request): Response;
}

/** Signs and serves the files that `find` knows. */
export function createAttachments(options: AttachmentOptions): Attachments {
  const { origin, signingSecret, now, find } = options;
  let signatures = 0;

  function sign(path: string, query: string): string {
    return createHmac("sha256", signingSecret).update(`${path}?${query}`).digest("base64url");
  }

  /** The count makes two addresses of one file differ even within a millisecond, as the real ones do. */
  function signedUrl({ id, filename }: StandInAttachment): string {
    const path = `${FILES_PATH}${id}/original/${encodeURIComponent(filename)}`;
    const query = `expires=${now() + SIGNED_URL_LIFETIME_MS}&n=${++signatures}`;
    return `${origin()}${path}?${query}&signature=${sign(path, query)}`;
  }

  /** Without thumbnails, which the service does not ask for. */
  function cell(attachment: StandInAttachment): Record<string, unknown> {
    const { id, filename, source: { bytes, type, ...measures } } = attachment;
    const url = signedUrl(attachment);
    return { id, ...measures, url, filename, size: bytes.length, type };
  }

  function serve(request: Request): Response {
    const url = new URL(request.url);
    const signed = /^\?(expires=(\d+)&n=\d+)&signature=([\w-]+)$/.exec(url.search);
    const [, query = "", expires = "", signature = ""] = signed ?? [];
    if (!signed || !sameText(signature, sign(url.pathname, query))) return errorResponse(403);
    if (now() >= Number(expires)) return expired();

    const [id = ""] = url.pathname.slice(FILES_PATH.length).split("/");
    const file = find(id)?.source;
    if (file === undefined) return errorResponse(404);
    return new Response(request.method === "HEAD" ? null : file.bytes, {
      headers: { "Content-Type": file.type, "Content-Length": String(file.bytes.length) },
    });
  }

  return { cell, serve };
}

function expired(): Response {
  const error = { type: "ATTACHMENT_URL_EXPIRED", message: "This attachment URL has expired" };
  return Response.json({ error }, { status: 410 });
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [new TextEncoder().encode(a), new TextEncoder().encode(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
