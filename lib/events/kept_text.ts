/** Texts that are made once for each event. */

/**
 * Keeps the text that was made of each event, as long as the event exists: a snapshot keeps those that have not
 * changed, and every document with an event has the same text of it.
 */
export function createTextKeeper<E extends object>() {
  const texts = new WeakMap<E, { readonly key: string; readonly text: string }>();
  /** @param key what the text depends on besides the event. */
  return function textOf(event: E, key: string, make: () => string): string {
    const known = texts.get(event);
    if (known?.key === key) return known.text;
    const text = make();
    texts.set(event, { key, text });
    return text;
  };
}
