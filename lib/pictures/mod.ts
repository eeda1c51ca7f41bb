/**
 * Pictures of events: fetched, made smaller, painted for sharing.
 */

export {
  createImages,
  heldImage,
  IMAGE_WIDTHS,
  imageHref,
  type ImageRole,
  imageVersion,
  type ImageWidth,
  parseWidth,
  sizedHref,
} from "./images.ts";
export { SHARING_SIZE } from "./painter.ts";
export { createPictures, type Pictures } from "./picture_process.ts";
export { createSharingPictures, sharingVersion } from "./sharing_pictures.ts";
