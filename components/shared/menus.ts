/** Menus that close as people expect of menus; without a script a second press on them closes them. */

/** Closes the open `<details>` of a selector at Escape, and when the visitor turns to something else. */
export function closeMenus(selector: string, signal?: AbortSignal): void {
  const openMenus = () => document.querySelectorAll<HTMLDetailsElement>(`${selector}[open]`);
  const leave = ({ target }: Event) => {
    for (const menu of openMenus()) {
      if (!(target instanceof Node && menu.contains(target))) menu.open = false;
    }
  };
  const options = signal ? { signal } : {};
  document.addEventListener("pointerdown", leave, options);
  document.addEventListener("focusin", leave, options);
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    for (const menu of openMenus()) {
      const hasFocus = menu.contains(document.activeElement);
      menu.open = false;
      if (hasFocus) menu.querySelector("summary")?.focus();
    }
  }, options);
}
