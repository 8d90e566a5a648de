"""A checker of exports of table games, written by docs/verify-format.md, without our packages."""

import base64
import hashlib
import json
import re
from fractions import Fraction as F
from math import lcm
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA

STATED = {
    str: "protocol begun episode workflow salt basis ledger",
    list: "agents agreements clauses record breaches transfers",
    dict: "code keys mandates settings values rewards forfeits payoffs",
    bool: "reckoned",
}
SET = {
    str: "absent norm disagreement enforcement deposit",
    list: "constraints",
    dict: "params",
    int: "seed",
    bool: "require_signed",
}
AGREED = {str: "topic by hash", int: "turn revision", dict: "deal signatures"}


def canonical(x: Any) -> str:
    if isinstance(x, dict):
        order = sorted(x, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(key)}:{canonical(x[key])}" for key in order) + "}"
    if isinstance(x, list):
        return "[" + ",".join(map(canonical, x)) + "]"
    return str(x) if type(x) is Decimals else json.dumps(x, ensure_ascii=False)


class Decimals(str):
    """A number with decimals, kept as the file writes it."""


def shaped(x: dict[str, Any], shape: dict[type, str], more: set[str]) -> None:
    """Check that an object has exactly the fields of a shape, each of its type."""
    types = {key: kind for kind, keys in shape.items() for key in keys.split()}
    assert types.keys() <= x.keys() <= types.keys() | more, "other fields"
    assert all(type(x[key]) is kind for key, kind in types.items()), "another type"


def digest(x: Any) -> str:
    return hashlib.sha256(canonical(x).encode()).hexdigest()


def short(x: F) -> str:
    places = next((k for k in range(100) if (x * 10**k).denominator == 1), None)
    digits = str(abs(x.numerator) * 10 ** (places or 0) // x.denominator).zfill((places or 0) + 1)
    if not places or len(digits.lstrip("0")) > 28:
        return str(x)
    return f"{'-' * (x < 0)}{digits[:-places]}.{digits[-places:]}"


def signs(pem: str, kind: str, text: str, sig: str) -> bool:
    key: Any = serialization.load_pem_public_key(pem.encode())
    message = f"DSSEv1 {len(kind)} {kind} {len(text.encode())} {text}".encode()
    try:
        key.verify(unpacked(sig), message, *[ECDSA(hashes.SHA256())] * hasattr(key, "curve"))
    except (InvalidSignature, ValueError, AssertionError):
        return False
    return True


def unpacked(text: str) -> bytes:
    found = base64.b64decode(text, validate=True)
    assert base64.b64encode(found).decode() == text, "not base64"
    return found


def id_and_pem(pem: str) -> tuple[str, str]:
    key = serialization.load_pem_public_key(pem.encode())
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    der, text = (
        key.public_bytes(x, form) for x in (serialization.Encoding.DER, serialization.Encoding.PEM)
    )
    return hashlib.sha256(der).hexdigest(), text.decode()


def holds(when: Any, turn: int, seen: list[Any], paying: bool) -> bool:
    """Whether a condition holds at a turn; `seen` are the turns that it can know."""
    if when == "always":
        return True
    [kind] = {"turns", "every", "last", "count", "earned", "all", "any", "not"} & when.keys()
    inside = when[kind]
    if kind in ("all", "any"):
        return {"all": all, "any": any}[kind](holds(x, turn, seen, paying) for x in inside)
    if kind == "earned":
        who = [inside] if inside != "everyone" else None
        sums = [
            F(x)
            for t in seen
            for x in (
                [t["rewards"].get(inside, 0)] if who else [*t["rewards"].values(), t.get("pot", 0)]
            )
        ]
        return sum(sums, F(0)) >= F(when["at_least"])
    if kind in ("last", "count"):
        did = [t["actions"].get(inside["agent"]) for t in seen]
        if kind == "count":
            return did.count(inside["action"]) >= when["at_least"]
        latest = did[-1:] if paying else [x for x in did if x is not None][-1:]
        return latest == [inside["action"]]
    if kind == "turns":
        return inside[0] <= turn <= inside[1]
    if kind == "every":
        return turn >= when["start"] and (turn - when["start"]) % inside == 0
    return not holds(inside, turn, seen, paying)


def told(when: Any, paying: bool) -> str:
    """A condition in words."""
    if when == "always":
        return "at every turn"
    once = "after" if paying else "once"
    match when:
        case {"any": [_, _, *_] as parts} if all("turns" in x for x in parts):
            spans = [str(a) if a == b else f"{a} to {b}" for a, b in (x["turns"] for x in parts)]
            return f"at turns {', '.join(spans[:-1])} and {spans[-1]}"
        case {"turns": [a, b]}:
            return f"at turn {a}" if a == b else f"from turn {a} to turn {b}"
        case {"every": k, "start": s}:
            return f"from turn {s}" if k == 1 else f"at turn {s} and every {k} turns after it"
        case {"last": {"agent": a, "action": x}}:
            return f"if {a} does {x}" if paying else f"while {a}'s latest action is {x}"
        case {"count": {"agent": a, "action": x}, "at_least": k}:
            return f"{once} {a} has done {x} {'once' if k == 1 else f'{k} times'} or more"
        case {"earned": a, "at_least": x}:
            of = "the rewards of all" if a == "everyone" else f"{a}'s rewards"
            return f"{once} {of} sum to {x} or more"
        case {"not": part}:
            return f"except {told(part, paying)}"
    [[kind, parts]] = when.items()
    return "(" + {"all": " and ", "any": " or "}[kind].join(told(x, paying) for x in parts) + ")"


def part(x: F) -> str:
    return f"{short(x * 100)} %" if (x * 10_000).denominator == 1 else str(x)


def words(c: Any) -> str:
    """A clause in words."""
    due = f", {told(c['when'], True)}" if c.get("when", "always") != "always" else ""
    if c["kind"] == "do":
        return f"{c['agent']} does {c['action']} {told(c['when'], False)}."
    if c["kind"] == "forbid":
        never = c["when"] == "always"
        end = "" if never else f" {told(c['when'], False)}"
        return f"{c['agent']} must {'never do' if never else 'not do'} {c['action']}{end}."
    if c["kind"] == "share" and c["norm"] is not None:
        return f"At the end the total is split by the norm {c['norm']}, computed from the record."
    if c["kind"] == "share":
        parts = {a: F(x) for a, x in c["fractions"].items()}
        shown = {a: part(x) for a, x in parts.items()}
        if not all(x.endswith("%") for x in shown.values()):
            over = lcm(*(x.denominator for x in parts.values()))
            shown = {a: f"{x * over}/{over}" for a, x in parts.items()}
        return f"At the end the total is split: {', '.join(map(' '.join, shown.items()))}."
    who, among = f"{c['payer']} pays {c['payee']}", ""
    if c["payee"] == "others":
        who, among = f"{c['payer']} pays", ", split evenly among all others,"
    elif c["payer"] == "others":
        who, among = f"All others pay {c['payee']}", ", split evenly among them,"
    if c["basis"] == "reward":
        among = among.rstrip(",") if due else among
        much = f"{part(F(c['amount']))} of what {c['payer']} earns"
        return f"{who} {much}{among}{due or ' at every turn'}."
    if c["basis"] == "turn":
        return f"{who} {c['amount']}{among} for each turn{due}."
    return f"{who} {c['amount']}{among or ','} once{due}."


def chain(told: Any) -> tuple[list[str], list[Any]]:
    """Each version's hash, and all clauses: id, clause, first and last turn in force."""
    chained, terms = [], []
    for one in (x for x in told["agreements"] if x["topic"] == "plan"):
        new, drops = one["deal"]["clauses"], one["deal"].get("drops", [])
        shares = any(c["kind"] == "share" for c in new)
        for i, (cid, c, first, last) in enumerate(terms):
            ends = (
                c["kind"] in ("do", "forbid") or cid in drops or (c["kind"] == "share" and shares)
            )
            terms[i] = (cid, c, first, one["turn"] - 1 if last is None and ends else last)
        terms += [(f"c{len(terms) + i}", c, one["turn"], None) for i, c in enumerate(new, 1)]
        chained.append(digest([chained[-1], one["hash"]]) if chained else one["hash"])
    return chained, terms


def amounts(x: Any) -> list[str]:
    """The exact numbers in a deal."""
    if isinstance(x, list):
        return [one for part in x for one in amounts(part)]
    if not isinstance(x, dict):
        return []
    own = [x[key] for key in ("amount", "at_least") if isinstance(x.get(key), str)]
    return [*own, *(x.get("fractions") or {}).values(), *amounts([*x.values()])]


def acceptances(told: Any, keys: dict[str, str]) -> None:
    """Check each signature of a party."""
    signed = {key: told[key] for key in ("agents", "salt", "workflow")}
    signed["keys"] = {a: x["keyid"] for a, x in told["keys"].items()}
    signed["mandates"] = {a: x["sha256"] for a, x in told["mandates"].items()}
    whole = digest(signed | {"settings": digest(told["settings"])})
    assert set(keys) - {"operator"} <= set(told["keys"]) <= set(told["agents"]), "keys of strangers"
    signers = {a for one in told["agreements"] for a in one["signatures"]}
    assert signers <= told["keys"].keys(), "a signature without a key"
    for a, key in told["keys"].items():
        assert id_and_pem(key["public"]) == (key["keyid"], key["public"]), "a key"
        assert a not in keys or (id_and_pem(keys[a])[0] == key["keyid"] and told["agreements"])
        for one in told["agreements"]:
            accepts = {key: one[key] for key in ("topic", "turn", "revision")}
            accepts |= {
                "accepts": one["hash"],
                "agent": a,
                "episode": told["episode"],
                "settings": whole,
            }
            if a in keys or told["settings"]["require_signed"] or a in one["signatures"]:
                mine = one["signatures"][a]
                shaped(mine, {str: "keyid sig"}, set())
                kind = "application/vnd.coop.acceptance+json"
                assert mine["keyid"] == key["keyid"]
                assert signs(key["public"], kind, canonical(accepts), mine["sig"])


def check(content: bytes, keys: dict[str, str]) -> None:
    """Check a file by public keys (`operator` and agents → PEM).

    Raises:
        Exception: the file is to be refused.
    """
    from extensions.proof.tests.third_play import settled

    text = content.decode()
    envelope = json.loads(text, parse_float=Decimals)
    assert canonical(envelope) + "\n" == text, "other bytes"
    assert envelope.keys() == {"payload", "payloadType", "signatures"}
    assert envelope["signatures"]
    payload, kind = unpacked(envelope["payload"]).decode(), envelope["payloadType"]
    by = {x["keyid"]: x["sig"] for x in envelope["signatures"] if x.keys() == {"keyid", "sig"}}
    known = {id_and_pem(pem)[0]: pem for pem in keys.values()}
    assert len(by) == len(envelope["signatures"])
    assert id_and_pem(keys["operator"])[0] in by
    assert all(signs(known[keyid], kind, payload, sig) for keyid, sig in by.items()), "signature"
    statement = json.loads(payload, parse_float=Decimals)
    assert canonical(statement) == payload
    assert kind == "application/vnd.in-toto+json"
    told = statement["predicate"]
    shaped(told, STATED, {"talk", "table", "worths"})
    shaped(told["settings"], SET, {"game"})
    for one in told["agreements"]:
        shaped(one, AGREED, {"contract"})
    for key in told["keys"].values():
        shaped(key, {str: "keyid public"}, set())
    amount = r"\d{1,9}(\.\d{1,6})?"
    assert re.fullmatch(rf"({amount})?", told["settings"]["deposit"], re.ASCII), "the deposit"
    limit = rf"limited_liability|(cap|non_transferable|tax)={amount}"
    limits = told["settings"]["constraints"]
    assert all(re.fullmatch(limit, x, re.ASCII) for x in limits), "a constraint"
    assert told["settings"]["disagreement"] in ("signed", "norm"), "what decides"
    assert told["settings"]["enforcement"] in ("notional", "enforced", "escrow"), "enforcement"
    assert all(isinstance(x, str) for x in [*told["code"].values(), *told["agents"]]), "a text"
    chained, terms = chain(told)
    linked = [one["contract"] for one in told["agreements"] if one["topic"] == "plan"]
    assert linked == chained, "the chain"
    for one in told["agreements"]:
        assert one["topic"] == "plan" or one["contract"] is None, "a contract of a split"
        assert digest(one["deal"]) == one["hash"], "a deal's hash"
        assert all(x == short(F(x)) for x in amounts(one["deal"])), "an amount"
    assert told["clauses"] == [f"{cid}. {words(c)}" for cid, c, _, last in terms if last is None]
    acceptances(told, keys)
    for part_, value in settled(told, terms).items():
        assert told[part_] == value, part_
    money = ("basis", "rewards", "transfers", "forfeits", "payoffs")
    about = {
        "record": told["record"],
        "settings": told["settings"],
        "settlement": {x: told[x] for x in money},
    }
    due = [("contract", x) for x in chained[-1:]] + [(x, digest(y)) for x, y in about.items()]
    assert statement == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": x, "digest": {"sha256": y}} for x, y in due],
        "predicateType": "urn:shapley-coop:settlement:v2",
        "predicate": told | {"protocol": "coop/2"},
    }
