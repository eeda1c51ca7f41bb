/** The scripts of the buttons on an event's page: *Share*, and a menu that closes like any menu. */

import { useEffect, useState } from "preact/hooks";
import { useOwnHistory } from "../components/shared/history.ts";
import { closeMenus } from "../components/shared/menus.ts";

/** Adds the scripts to the server's buttons, and announces results. */
export default function EventActions() {
  useOwnHistory();
  const [status, setStatus] = useState("");
  useEffect(() => {
    const link = document.querySelector<HTMLAnchorElement>("a.share");
    closeMenus();
    // Over plain http a browser has neither; the link opens a mail then.
    if (link !== null && ("share" in navigator || "clipboard" in navigator)) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = link.className;
      button.textContent = link.textContent;
      button.addEventListener("click", () => void share(setStatus));
      const hadFocus = document.activeElement === link;
      link.replaceWith(button);
      if (hadFocus) button.focus();
    }
  }, []);
  return <span class="shared" role="status">{status}</span>;
}

/** Opens the system's sheet, or copies the page's address where there is none. */
async function share(setStatus: (words: string) => void): Promise<void> {
  // Cleared first: a screen reader announces the same words only once.
  setStatus("");
  const url = document.querySelector<HTMLLinkElement>("link[rel=canonical]")?.href ??
    location.href;
  const title = document.querySelector("h1")?.textContent ?? document.title;
  if ("share" in navigator) {
    try {
      return await navigator.share({ title, url });
    } catch (error) {
      // The visitor has closed the sheet.
      if (error instanceof DOMException && error.name === "AbortError") return;
    }
  }
  const isCopied = await navigator.clipboard.writeText(url).then(() => true, () => false);
  setStatus(isCopied ? "The link is copied." : "Your browser did not copy the link.");
}
