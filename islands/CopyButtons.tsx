/** A copy button for the code of each sample. */

import { useEffect, useState } from "preact/hooks";
import { useOwnHistory } from "../components/shared/history.ts";

/** Adds the buttons, and announces each copy. */
export default function CopyButtons() {
  useOwnHistory();
  const [status, setStatus] = useState("");
  useEffect(() => {
    // Browsers offer no clipboard over plain http.
    if (!("clipboard" in navigator)) return;
    for (const sample of document.querySelectorAll(".sample")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.setAttribute("aria-label", "Copy the code");
      button.addEventListener("click", async () => {
        // Cleared first: a screen reader announces the same words only once.
        setStatus("");
        const code = sample.querySelector("code")?.textContent.trimEnd() ?? "";
        const isCopied = await navigator.clipboard.writeText(code).then(
          () => true,
          () => false,
        );
        button.textContent = isCopied ? "Copied" : "Not copied";
        setStatus(isCopied ? "The code is copied." : "Your browser did not copy the code.");
      });
      button.addEventListener("blur", () => button.textContent = "Copy");
      sample.querySelector(".sample-head")?.append(button);
    }
  }, []);
  return <p class="hidden" role="status">{status}</p>;
}
