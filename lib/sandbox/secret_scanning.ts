// A stand-in for GitHub's secret scanning: it publishes its keys, and signs messages about found secrets.

/** A key pair of the stand-in. */
interface Signer {
  readonly id: string;
  readonly pem: string;
  readonly privateKey: CryptoKey;
}

/** Creates a stand-in. It opens no port: serve `fetch`. */
export async function createSecretScanningStandIn() {
  let signer = await createSigner(1);
  let [count, reads] = [1, 0];
  return {
    /** Answers with the public keys. */
    fetch() {
      reads++;
      const key = { key_identifier: signer.id, key: signer.pem, is_current: true };
      return Response.json({ public_keys: [key] });
    },
    /** The number of requests for the keys. */
    reads: () => reads,
    /** Replaces the key pair; the old one is no longer published. */
    async rotate(): Promise<void> {
      signer = await createSigner(++count);
    },
    /** A signed message, as GitHub posts it. */
    async sign(body: string) {
      const algorithm = { name: "ECDSA", hash: "SHA-256" };
      const bytes = new TextEncoder().encode(body);
      const raw = await crypto.subtle.sign(algorithm, signer.privateKey, bytes);
      return {
        headers: {
          "content-type": "application/json",
          "github-public-key-identifier": signer.id,
          "github-public-key-signature": toDer(new Uint8Array(raw)).toBase64(),
        },
        body,
      };
    },
  };
}

async function createSigner(number: number): Promise<Signer> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, true, [
    "sign",
    "verify",
  ]);
  const base64 = new Uint8Array(await crypto.subtle.exportKey("spki", publicKey)).toBase64();
  const lines = base64.match(/.{1,64}/g)?.join("\n") ?? "";
  const pem = `-----BEGIN PUBLIC KEY-----\n${lines}\n-----END PUBLIC KEY-----\n`;
  return { id: `key-${number}-${base64.slice(-16)}`, pem, privateKey };
}

/** A signature as the two numbers of an ASN.1 sequence, which GitHub sends; Web Crypto makes them side by side. */
function toDer(raw: Uint8Array): Uint8Array {
  const numbers = [raw.subarray(0, 32), raw.subarray(32)].map((number) => {
    let at = 0;
    while (at < 31 && number[at] === 0) at++;
    const digits = [...number.subarray(at)];
    // A leading one would make it negative.
    if ((digits[0] ?? 0) > 127) digits.unshift(0);
    return [2, digits.length, ...digits];
  }).flat();
  return Uint8Array.from([0x30, numbers.length, ...numbers]);
}
