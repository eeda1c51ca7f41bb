/** Secrets in the database, sealed with a key that is not in it. */

const IV_BYTES = 12;
const encoder = new TextEncoder();

/** Seals bytes with a key made from a password, such as an API's token. */
export async function seal(
  password: string,
  plain: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const key = await keyOf(password);
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, plain);
  const bytes = new Uint8Array(IV_BYTES + sealed.byteLength);
  bytes.set(iv);
  bytes.set(new Uint8Array(sealed), IV_BYTES);
  return bytes;
}

/** The bytes that were sealed; null if the password is another one, or the bytes are damaged. */
export async function unseal(
  password: string,
  sealed: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const iv = sealed.slice(0, IV_BYTES);
  const key = await keyOf(password);
  try {
    const plain = await crypto.subtle.decrypt(
      { name: "AES-GCM", iv },
      key,
      sealed.slice(IV_BYTES),
    );
    return new Uint8Array(plain);
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}

async function keyOf(password: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey(
    "raw",
    encoder.encode(password),
    "HKDF",
    false,
    ["deriveKey"],
  );
  const info = encoder.encode("foyer: secrets in the database");
  return await crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info },
    material,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}
