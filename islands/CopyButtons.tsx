/** Copy buttons: for the code of each sample, and for the address in a link's `data-copy`. */

import { useEffect, useState } from "preact/hooks";

/** Adds the buttons, and announces each copy. */
export default function CopyButtons() {
  const [status, setStatus] = useState("");
  useEffect(() => {
    // Browsers offer no clipboard over plain http.
    if (!("clipboard" in navigator)) return;
    for (const sample of document.querySelectorAll(".sample")) {
      addButton(
        sample.querySelector(".sample-head"),
        "code",
        () => sample.querySelector("code")?.textContent.trimEnd() ?? "",
      );
    }
    for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-copy]")) {
      addButton(
        link.parentElement,
        "address",
        () => new URL(link.dataset["copy"] ?? "", location.href).href,
      );
    }

    function addButton(place: Element | null, what: string, textOf: () => string) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.setAttribute("aria-label", `Copy the ${what}`);
      button.addEventListener("click", async () => {
        // Cleared first: a screen reader announces the same words only once.
        setStatus("");
        const isCopied = await navigator.clipboard.writeText(textOf()).then(
          () => true,
          () => false,
        );
        button.textContent = isCopied ? "Copied" : "Not copied";
        setStatus(isCopied ? `The ${what} is copied.` : `Your browser did not copy the ${what}.`);
      });
      button.addEventListener("blur", () => button.textContent = "Copy");
      place?.append(button);
    }
  }, []);
  return <p class="hidden" role="status">{status}</p>;
}
