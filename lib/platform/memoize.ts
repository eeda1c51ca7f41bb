/** Values that are computed once for each object. */

/** Returns a function that computes an object's value on the first call, and keeps it as long as the object exists. */
export function memoize<K extends object, V>(make: (object: K) => V): (object: K) => V {
  const values = new WeakMap<K, { readonly value: V }>();
  return function valueOf(object) {
    let known = values.get(object);
    if (known === undefined) {
      known = { value: make(object) };
      values.set(object, known);
    }
    return known.value;
  };
}

/**
 * Returns a function that keeps the last value of each object as long as the object exists, and makes it anew for another
 * key. The key is all that the value depends on besides the object.
 */
export function memoizeLast<K extends object, V>(): (object: K, key: string, make: () => V) => V {
  const values = new WeakMap<K, { readonly key: string; readonly value: V }>();
  return function valueOf(object, key, make) {
    const known = values.get(object);
    if (known?.key === key) return known.value;
    const value = make();
    values.set(object, { key, value });
    return value;
  };
}
