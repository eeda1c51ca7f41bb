// Gives each frame of the site that this script comes from the height of what it shows. Include it once:
// <script src="https://…/embed-1.js" async></script>. This file never changes; another version has another name.
(() => {
  const { origin } = new URL(document.currentScript.src);
  addEventListener("message", ({ data, source }) => {
    const height = data?.foyerHeight;
    if (!Number.isInteger(height) || height < 1 || height > 10000) return;
    for (const frame of document.querySelectorAll("iframe")) {
      const isOurs = URL.canParse(frame.src) && new URL(frame.src).origin === origin;
      if (isOurs && frame.contentWindow === source) frame.height = height;
    }
  });
})();
