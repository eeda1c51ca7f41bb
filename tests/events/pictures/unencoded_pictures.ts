/** The picture process, whose memory suffices for reading images but not for writing one. */

import loadSkia from "canvaskit-wasm/full";

const load = loadSkia.default;
loadSkia.default = async () => {
  const skia = await load();
  const { MakeSurface } = skia;
  skia.MakeSurface = (width, height) => {
    const surface = MakeSurface(width, height);
    if (surface === null) return null;
    const { makeImageSnapshot } = surface;
    surface.makeImageSnapshot = () =>
      Object.assign(makeImageSnapshot.call(surface), { encodeToBytes: () => null });
    return surface;
  };
  return skia;
};
await import("../../../lib/events/pictures/picture_program.ts");
