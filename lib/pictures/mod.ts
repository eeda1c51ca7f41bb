/**
 * Pictures of events: fetched, made smaller, painted for sharing.
 */

export {
  createImages,
  heldImage,
  imageHref,
  type ImageRole,
  type Images,
  imageVersion,
  type StoredImage,
} from "./images.ts";
export { SHARING_SIZE } from "./painter.ts";
export { createPictures, type Pictures } from "./picture_process.ts";
export { createSharingPictures, type SharingPictures, sharingVersion } from "./sharing_pictures.ts";
export {
  createImageVariants,
  type ImageVariants,
  type ImageWidth,
  parseWidth,
  sizedHref,
} from "./image_variants.ts";
