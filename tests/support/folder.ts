/** A folder that is removed with everything in it. */

/** Makes a folder for as long as it is used. */
export async function openFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await Deno.makeTempDir();
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
