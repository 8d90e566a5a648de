// Canonical JSON, keys, signatures and the envelope of a file.

const encoder = new TextEncoder();
const OID_P256 = "06082a8648ce3d030107";
const PRIME = 2n ** 255n - 19n;
const SMALL_ORDER = [
  0n, 1n, PRIME - 1n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
];
const MOST_BYTES = 64_000_000;

/** Return canonical JSON (RFC 8785): keys in the order of UTF-16, numbers as JavaScript writes them. */
export function canonical(value) {
  if (typeof value === "string" && /\p{Surrogate}/u.test(value)) throw new Error("a text is no Unicode");
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21) throw new Error("a number is too large");
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${canonical(key)}:${canonical(value[key])}`).join(",")}}`;
}

export const same = (a, b) => canonical(a) === canonical(b);
export const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const sha256 = async (bytes) => hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));

/** Return the SHA-256 of a value's canonical JSON, in hexadecimal. */
export const digest = (value) => sha256(encoder.encode(canonical(value)));

/** Return the bytes of a base64 text, of which only one form is accepted. */
function bytesOf(text) {
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  if (base64(bytes) !== text) throw new Error("a value is not base64");
  return bytes;
}

function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

/** Read a public key in PEM; return its id, its canonical PEM and a function that verifies. */
export async function readKey(pem) {
  if (/PRIVATE KEY/.test(pem)) throw new Error("this is a private key: give the public one, and keep this one secret");
  const inside = /-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----/.exec(pem);
  if (!inside) throw new Error("this is no public key in PEM");
  const given = bytesOf(inside[1].replace(/\s/g, ""));
  const isEcdsa = hex(given).includes(OID_P256);
  const kind = isEcdsa ? { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } : { name: "Ed25519" };
  if (!crypto.subtle) throw new Error("this browser verifies signatures only on pages opened as a file or by https");
  const key = await crypto.subtle.importKey("spki", given, kind, true, ["verify"]).catch(({ name }) => {
    throw new Error(name === "NotSupportedError" ? `this browser cannot verify ${kind.name} signatures` : "this is no public key of a known kind");
  });
  const der = new Uint8Array(await crypto.subtle.exportKey("spki", key));
  if (!isEcdsa) refuseWeak(der.slice(-32));
  const lines = base64(der).match(/.{1,64}/g).join("\n");
  return {
    id: await sha256(der),
    pem: `-----BEGIN PUBLIC KEY-----\n${lines}\n-----END PUBLIC KEY-----\n`,
    verifies: async (message, signature) => {
      const raw = isEcdsa ? rawOf(signature) : signature;
      return raw !== null && crypto.subtle.verify(kind, key, raw, message);
    },
  };
}

/** Refuse an Ed25519 key of small order, under which one signature fits every message. */
function refuseWeak(point) {
  const y = BigInt(`0x${hex(point.toReversed())}`) & (2n ** 255n - 1n);
  if (y >= PRIME || SMALL_ORDER.includes(y)) throw new Error("the key has a small order, so signatures can be forged");
}

/** Return the 64 bytes (r, s) of an ECDSA signature in DER, or null if it is not in DER. */
function rawOf(der) {
  const raw = new Uint8Array(64);
  let at = 2;
  for (const end of [32, 64]) {
    const length = der[at + 1];
    const start = at + 2 + (der[at + 2] === 0 && der[at + 3] & 0x80 ? 1 : 0);
    const number = der.slice(start, at + 2 + length);
    const isShort = number.length <= 32 && number.length > 0 && (number[0] !== 0 || number.length === 1);
    if (der[at] !== 2 || !isShort || (start === at + 2 && number[0] & 0x80)) return null;
    raw.set(number, end - number.length);
    at += 2 + length;
  }
  return der[0] === 0x30 && der[1] === der.length - 2 && at === der.length ? raw : null;
}

/** Return DSSE's encoding of a payload, which each signature covers. */
export function encoded(type, payload) {
  const head = encoder.encode(`DSSEv1 ${encoder.encode(type).length} ${type} ${payload.length} `);
  const whole = new Uint8Array(head.length + payload.length);
  whole.set(head);
  whole.set(payload, head.length);
  return whole;
}

/** Return whether a key signed a value under a payload type; `signed` has keyid and sig. */
export async function isSigned(key, type, value, signed) {
  if (signed.keyid !== key.id) return false;
  try {
    return await key.verifies(encoded(type, encoder.encode(canonical(value))), bytesOf(signed.sig));
  } catch {
    return false;
  }
}

/** Read JSON that is canonical, in UTF-8. */
function readCanonical(bytes, ending, fault) {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const content = JSON.parse(text);
  if (`${canonical(content)}${ending}` !== text) throw new Error(fault);
  return content;
}

/** Read an envelope that is in the only accepted form; its signatures are not verified yet. */
export function readEnvelope(bytes) {
  if (bytes.length > MOST_BYTES) throw new Error("it has more than 64 MB");
  const record = readCanonical(bytes, "\n", "another program wrote it, or it was changed");
  const { payload, payloadType: type, signatures } = record;
  const keys = [record, ...signatures].map((one) => Object.keys(one).sort().join());
  if (keys.shift() !== "payload,payloadType,signatures" || !keys.length) throw new Error("it is no envelope");
  if (keys.some((names) => names !== "keyid,sig")) throw new Error("a signature has other fields than keyid and sig");
  if (new Set(signatures.map(({ keyid }) => keyid)).size < signatures.length) throw new Error("two signatures are by one key");
  const inside = bytesOf(payload);
  const content = readCanonical(inside, "", "its payload is not canonical JSON");
  return { type, content, message: encoded(type, inside), signatures: signatures.map(({ keyid, sig }) => ({ keyid, sig: bytesOf(sig) })) };
}
