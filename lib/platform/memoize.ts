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
