// Signing at a party's seat: the key stays in this browser; only signatures are sent.
//
//   const own = await signatureOf(letter.to_sign);   // {keyid, sig}, or null without a key
//   const told = await delivered(reply, letter.to_sign, post);   // the reply, signed if it can be
//
// The key comes from a file (PKCS #8 in PEM, Ed25519 or P-256, by `coop keys new` or openssl).
// The browser's database stores the key in a form that no script can read out again.

import { h } from "./dom.js";

const BINDING = "application/vnd.coop.acceptance+json";
const KINDS = [
  { name: "Ed25519", import: { name: "Ed25519" }, sign: { name: "Ed25519" } },
  { name: "ES256", import: { name: "ECDSA", namedCurve: "P-256" }, sign: { name: "ECDSA", hash: "SHA-256" } },
];
const encoder = new TextEncoder();

/** Return canonical JSON (RFC 8785), for the strings and whole numbers that parties sign. */
export function canonical(value) {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const keys = Object.keys(value).sort(); // by UTF-16 code units, as the standard has it
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

/** Return the bytes that are signed: DSSE's pre-authentication encoding. */
export function pae(type, payload) {
  const body = encoder.encode(payload);
  const head = encoder.encode(`DSSEv1 ${encoder.encode(type).length} ${type} ${body.length} `);
  return joined(head, body);
}

/** Store a file's key for this browser's signatures; return the key's id and public part. */
export async function useKey(pem) {
  for (const kind of KINDS) {
    try {
      // This import can be exported, to get the public part; the stored key cannot.
      const open = await crypto.subtle.importKey("pkcs8", der(pem), kind.import, true, ["sign"]);
      const { d, key_ops, ext, ...open_part } = await crypto.subtle.exportKey("jwk", open);
      const known = await crypto.subtle.importKey("jwk", { ...open_part, key_ops: ["verify"] }, kind.import, true, ["verify"]);
      const spki = new Uint8Array(await crypto.subtle.exportKey("spki", known));
      const key = await crypto.subtle.importKey("pkcs8", der(pem), kind.import, false, ["sign"]);
      const kept = { key, kind: kind.name, keyid: hex(await crypto.subtle.digest("SHA-256", spki)), spki };
      await stored((keys) => keys.put(kept, "mine"));
      return kept;
    } catch {
      continue;
    }
  }
  throw new Error("This file holds no Ed25519 or P-256 key in PEM (PKCS #8) that this browser can use.");
}

/** Return this browser's key, whose private part no script can read, or null without a key. */
export async function ownKey() {
  return (await stored((keys) => keys.get("mine"))) ?? null;
}

/** Sign the letter's `to_sign`, which accepts the offer; return null without a key. */
export async function signatureOf(toSign) {
  const own = await ownKey();
  if (!own) return null;
  const kind = KINDS.find(({ name }) => name === own.kind);
  const raw = new Uint8Array(await crypto.subtle.sign(kind.sign, own.key, pae(BINDING, canonical(toSign))));
  return { keyid: own.keyid, sig: base64(own.kind === "ES256" ? asDer(raw) : raw) };
}

/**
 * Send a reply with a signature of the offer that the letter showed. The server refuses the
 * party's own proposal once, with the text to sign; then the proposal is sent again, signed.
 */
export async function delivered(reply, toSign, post) {
  const shown = toSign && (await signatureOf(toSign));
  const told = await post(shown ? { ...reply, signature: shown } : reply);
  const asked = told.refused === "SIGN" && TO_SIGN.exec(told.why);
  const own = asked && (await signatureOf(JSON.parse(asked[0])));
  // After the refusal the letter has a new id, so the signed reply names none.
  return own ? post({ ...reply, id: undefined, signature: own }) : told;
}

/** Matches the JSON in a refusal that the party is asked to sign. */
const TO_SIGN = /\{[^{}]*\}/;

/** Return the field in which a party chooses the key for its signatures. */
export function keyChoice() {
  const told = h("p", { id: "key", role: "status" }, "");
  const say = (own) => (told.textContent = own ? `Your answers are signed by key ${own.keyid}.` : "No key is chosen.");
  const file = h("input", { id: "key-file", type: "file", accept: ".pem" });
  file.addEventListener("change", async () => {
    try {
      say(await useKey(await file.files[0].text()));
    } catch (error) {
      told.textContent = error.message;
    }
  });
  ownKey().then(say);
  const label = h("label", { for: "key-file" }, "A file of a private key (PEM). It is not sent anywhere.");
  return [told, h("div", { class: "field" }, label, file)];
}

/** Convert an ECDSA signature (r, s) to DER, the form that openssl and the record use. */
export function asDer(raw) {
  const numbers = [raw.slice(0, 32), raw.slice(32)].map((half) => {
    let start = 0;
    while (start < 31 && half[start] === 0) start += 1;
    const short = half.slice(start);
    const whole = short[0] & 0x80 ? joined(new Uint8Array([0]), short) : short;
    return joined(new Uint8Array([2, whole.length]), whole);
  });
  const body = joined(...numbers);
  return joined(new Uint8Array([0x30, body.length]), body);
}

function der(pem) {
  const body = pem.replace(/-----[^-]+-----/g, "").replace(/\s/g, "");
  return Uint8Array.from(atob(body), (char) => char.charCodeAt(0));
}

function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const base64 = (bytes) => btoa(String.fromCharCode(...bytes));
const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Do one request on the store of keys in this origin's database. */
function stored(act) {
  return new Promise((done, failed) => {
    const opening = indexedDB.open("coop", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
    opening.onerror = () => failed(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const asked = act(database.transaction("keys", "readwrite").objectStore("keys"));
      asked.onsuccess = () => (database.close(), done(asked.result));
      asked.onerror = () => (database.close(), failed(asked.error));
    };
  });
}
