// The keys of the identity provider's stand-in, and the tokens that it signs with them.

const ALGORITHM = {
  name: "RSASSA-PKCS1-v1_5",
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: "SHA-256",
} as const;

/** A key with its public half as it is published (RFC 7517). */
export type SigningKey = Awaited<ReturnType<typeof createSigningKey>>;

/** Makes a key for RS256, which most providers use. */
export async function createSigningKey(kid: string) {
  const pair = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const jwk = await crypto.subtle.exportKey("jwk", pair.privateKey);
  const { kty, n, e } = jwk;
  const about = { kid, alg: "RS256", use: "sig" };
  // The provider refuses the members that Web Crypto adds.
  const { ext: _ext, key_ops: _ops, ...numbers } = jwk;
  return {
    privateKey: pair.privateKey,
    privateJwk: { ...numbers, ...about },
    publicJwk: { kty, n, e, ...about },
  };
}

/** The claims of a token, unchecked. */
export function readClaims(token: string): Record<string, unknown> {
  const [, payload = ""] = token.split(".");
  const bytes = Uint8Array.fromBase64(payload, { alphabet: "base64url" });
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** A token with these claims; without a key it has no signature (`alg: none`). */
export async function signToken(
  claims: Record<string, unknown>,
  key: { readonly privateKey: CryptoKey; readonly kid: string } | null,
): Promise<string> {
  const header = key === null ? { alg: "none" } : { alg: "RS256", typ: "JWT", kid: key.kid };
  const signed = `${encode(JSON.stringify(header))}.${encode(JSON.stringify(claims))}`;
  if (key === null) return `${signed}.`;
  const bytes = new TextEncoder().encode(signed);
  const signature = await crypto.subtle.sign(ALGORITHM.name, key.privateKey, bytes);
  return `${signed}.${encode(new Uint8Array(signature))}`;
}

function encode(content: string | Uint8Array): string {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
