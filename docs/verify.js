const { readFileSync } = require("node:fs");
const { createHash, createPublicKey, verify } = require("node:crypto");

const pae = (type, payload) =>
  Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload]);
const isSigned = (pem, type, payload, sig) => {
  const key = createPublicKey(pem);
  const hash = key.asymmetricKeyType === "ed25519" ? null : "sha256";
  return verify(hash, pae(type, payload), key, Buffer.from(sig, "base64"));
};

const envelope = JSON.parse(readFileSync("deal.dsse.json", "utf8"));
const payload = Buffer.from(envelope.payload, "base64");
const operator = readFileSync("operator.pub.pem", "utf8");
console.log("operator", isSigned(operator, envelope.payloadType, payload, envelope.signatures[0].sig));

// RFC 8785, for what an export holds: keys in order, numbers and strings as JavaScript writes them.
const canonical = (x) => {
  if (x === null || typeof x !== "object") return JSON.stringify(x);
  if (Array.isArray(x)) return `[${x.map(canonical)}]`;
  return `{${Object.keys(x).sort().map((key) => `${JSON.stringify(key)}:${canonical(x[key])}`)}}`;
};
const digest = (x) => createHash("sha256").update(canonical(x)).digest("hex");
const each = (x, named) => Object.fromEntries(Object.entries(x).map(([key, one]) => [key, one[named]]));

const { predicate } = JSON.parse(payload);
const { agents, salt, workflow } = predicate;
const keys = each(predicate.keys, "keyid");
const mandates = each(predicate.mandates, "sha256");
const settings = digest({ agents, keys, mandates, salt, settings: digest(predicate.settings), workflow });
for (const { topic, turn, revision, hash, signatures } of predicate.agreements)
  for (const [agent, { sig }] of Object.entries(signatures)) {
    const signed = { accepts: hash, agent, episode: predicate.episode, revision, settings, topic, turn };
    const bytes = Buffer.from(canonical(signed));
    const known = predicate.keys[agent].public; // compare it with the key that you know
    console.log(agent, isSigned(known, "application/vnd.coop.acceptance+json", bytes, sig));
  }
