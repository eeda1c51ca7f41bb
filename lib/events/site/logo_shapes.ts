/** The site's logo, an open door: SVG paths in a square of 24. */
export const SITE_LOGO = {
  frame: "M4 22V11a8 8 0 0 1 16 0v11Z",
  /** The light in the doorway, in the colour of the ground. */
  light: "M9 22V11.5a5.5 5.5 0 0 1 6-5.4V22Z",
} as const;
