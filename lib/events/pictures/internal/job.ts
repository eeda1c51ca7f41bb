/** A job of the picture process: its facts are the process's argument, its files follow on the standard input. */

import type { CardTheme } from "../../theme/theme.ts";

/** The files that a job may have: `image` is the one to resize, `siteLogo` and `font` are the site's own. */
type FileName = "image" | "logo" | "background" | "siteLogo" | "font";

/** An image in a smaller size, as a WebP file. */
export interface Sizing {
  readonly kind: "image";
  /** In pixels; a narrower image keeps its width. */
  readonly width: number;
  /** From 0 to 100 (lossless). */
  readonly quality: number;
}

/** The picture that an event is shared with, as a PNG or JPEG file. None of its facts depends on the current day. */
export interface SharingFacts {
  readonly kind: "card";
  /** Each on one line, and short enough. */
  readonly name: string;
  readonly when: string;
  readonly place: string | null;
  readonly theme: CardTheme;
  readonly site: {
    readonly name: string;
    /** The ground behind the name or the logo, and the colour of the name: `#rrggbb`. */
    readonly ground: string;
    readonly ink: string;
  };
}

/** A job with its files. */
export interface Job {
  readonly facts: Sizing | SharingFacts;
  readonly files: { readonly [name in FileName]?: Uint8Array<ArrayBuffer> };
}

/** The process's argument: the facts, and the lengths of the files in the order of sending. */
export interface JobArgument {
  readonly facts: Job["facts"];
  readonly lengths: readonly (readonly [name: FileName, length: number])[];
}
