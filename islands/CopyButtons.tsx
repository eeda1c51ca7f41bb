/** Buttons that copy: a sample's code, and the address that a link has in `data-copy`. */

import { useEffect, useState } from "preact/hooks";

/** Puts a button to everything on the page that one would copy, and tells when it has been. */
export default function CopyButtons() {
  const [said, say] = useState("");
  useEffect(() => {
    // Over plain http browsers have no clipboard.
    if (!("clipboard" in navigator)) return;
    const added = [
      ...[...document.querySelectorAll(".sample")].map((sample) =>
        addButton(sample, "code", () => sample.querySelector("code")?.textContent.trimEnd() ?? "")
      ),
      ...[...document.querySelectorAll<HTMLAnchorElement>("a[data-copy]")].map((link) =>
        addButton(
          link.parentElement,
          "address",
          () => new URL(link.dataset["copy"] ?? "", location.href).href,
        )
      ),
    ];
    return () => added.forEach((button) => button.remove());

    function addButton(place: Element | null, what: string, textOf: () => string) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.setAttribute("aria-label", `Copy the ${what}`);
      button.addEventListener("click", async () => {
        // Cleared first: a reader's voice tells the same words only once.
        say("");
        const isCopied = await copy(textOf());
        button.textContent = isCopied ? "Copied" : "Not copied";
        say(
          isCopied ? `The ${what} is copied.` : `Your browser did not let the ${what} be copied.`,
        );
      });
      button.addEventListener("blur", () => button.textContent = "Copy");
      place?.append(button);
      return button;
    }
  }, []);
  return <p class="hidden" role="status">{said}</p>;
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The button says that it failed.
    return false;
  }
}
