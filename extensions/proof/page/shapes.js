// What a statement may contain: every field has one type, and no other field is allowed.

const isText = (x) => typeof x === "string";
const isWhole = Number.isSafeInteger;
const isCount = (x) => isWhole(x) && x >= 1;
const isFlag = (x) => typeof x === "boolean";
const isNumber = (x) => typeof x === "number";
const isThing = (x) => x !== null && typeof x === "object" && !Array.isArray(x);
const isNull = (x) => x === null;
const either = (...kinds) => (x) => kinds.some((kind) => kind(x));
const one = (...values) => (x) => values.includes(x);
const listOf = (kind) => (x) => Array.isArray(x) && x.every(kind);
const mapOf = (kind) => (x) => isThing(x) && Object.values(x).every(kind);
const pairOf = (kind) => (x) => listOf(kind)(x) && x.length === 2;

/** Return the test that a value has exactly these fields, and perhaps some of those `allowed`. */
const like = (fields, allowed = {}) => (x) =>
  isThing(x) &&
  Object.keys(fields).every((key) => Object.hasOwn(x, key) && fields[key](x[key])) &&
  Object.keys(x).every((key) => Object.hasOwn(fields, key) || (Object.hasOwn(allowed, key) && allowed[key](x[key])));

const CONSTRAINT = /^(limited_liability|(cap|non_transferable|tax)=\d{1,9}(\.\d{1,6})?)$/;
const isAmount = (x) => isText(x) && /^-?\d{1,40}$/.test(x);
const isHash = like({ sha256: isText });
const isSignature = like({ keyid: isText, sig: isText });
const event = like({ agent: isText, action: isText });
const isWhen = (x) =>
  x === "always" ||
  [
    like({ turns: pairOf(isWhole) }),
    like({ every: isCount, start: isCount }),
    like({ last: event }),
    like({ count: event, at_least: isCount }),
    like({ earned: isText, at_least: isText }),
    like({ all: (parts) => listOf(isWhen)(parts) && parts.length > 0 }),
    like({ any: (parts) => listOf(isWhen)(parts) && parts.length > 0 }),
    like({ not: (part) => isWhen(part) }),
  ].some((kind) => kind(x));
const isClause = either(
  like({ kind: one("do", "forbid"), agent: isText, action: isText, when: isWhen }),
  like({ kind: one("pay"), payer: isText, payee: isText, amount: isText, basis: one("once", "turn", "reward"), when: isWhen }),
  like({ kind: one("give"), giver: isText, receiver: isText, good: isText, quantity: isWhole, when: isWhen }),
  like({ kind: one("share"), fractions: either(isNull, mapOf(isText)), norm: either(isNull, isText) }),
);
const isTurn = like(
  { turn: isWhole, actions: mapOf(isText), rewards: mapOf(isNumber) },
  { pot: isNumber, effects: listOf(isThing) },
);
const isAgreement = like({
  topic: isText, turn: isWhole, revision: isWhole, by: isText, deal: isThing, hash: isText,
  contract: either(isNull, isText), signatures: mapOf(isSignature),
});

export const isDeal = like({ clauses: listOf(isClause) }, { drops: (x) => listOf(isText)(x) && x.length > 0 });

export const isSettings = like(
  {
    game: either(isText, isThing), params: isThing, seed: isWhole, absent: isText, norm: isText,
    disagreement: one("signed", "norm"), constraints: listOf((x) => isText(x) && CONSTRAINT.test(x)),
    enforcement: one("notional", "enforced", "escrow"),
    deposit: (x) => isText(x) && /^(\d{1,9}(\.\d{1,6})?)?$/.test(x), require_signed: isFlag,
  },
);

const isTable = like({
  agents: listOf(isText), actions: mapOf(listOf(isText)), rounds: isCount, worth: one("record", "potential"),
  payoffs: listOf(like({ play: listOf(isText), pays: listOf(isNumber) })), absent: either(isText, mapOf(isText)),
});
const isPredicate = like(
  {
    protocol: one("coop/2"), code: mapOf(isText), episode: isText, workflow: isText, begun: isText,
    salt: isText, agents: listOf(isText), keys: mapOf(like({ keyid: isText, public: isText })),
    mandates: mapOf(like({ sha256: isText, principal: isText, envelope: either(isNull, isThing) })),
    settings: isSettings, agreements: listOf(isAgreement), clauses: listOf(isText), reckoned: isFlag,
    record: listOf(isTurn), breaches: listOf(isThing), values: isThing, basis: isText,
    rewards: mapOf(isAmount), forfeits: mapOf(isAmount), payoffs: mapOf(isAmount), ledger: isText,
    transfers: listOf(like({ payer: isText, payee: isText, amount: isAmount, reason: isText })),
  },
  { talk: listOf(isThing), table: isTable, worths: listOf(isText) },
);

export const isStatement = like({
  _type: one("https://in-toto.io/Statement/v1"),
  subject: listOf(like({ name: isText, digest: isHash })),
  predicateType: one("urn:shapley-coop:settlement:v2"),
  predicate: isPredicate,
});
