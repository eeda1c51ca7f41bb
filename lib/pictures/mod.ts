/** Pictures of events and of the site: fetched, made smaller, painted. */

export { fetchFile } from "./fetch_file.ts";
export { imageKind } from "./image_kind.ts";
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
export { isMovingPng, isOpaquePng, withoutTexts } from "./png.ts";
export { SHARING_SIZE } from "./painter.ts";
export { createPictures, type Pictures } from "./picture_process.ts";
export { createSharingPictures } from "./sharing_pictures.ts";
export { createSiteIcons } from "./site_icons.ts";
