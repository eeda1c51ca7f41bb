/** Values that are made once for an object. */

/** A function that makes the value of an object on the first call, and keeps it as long as the object exists. */
export function keptBy<K extends object, V>(make: (object: K) => V): (object: K) => V {
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
