"""Malformed outputs, of the kinds that models give sooner or later."""

import json
from collections.abc import Callable
from random import Random

Poison = Callable[[Random, str], str]
"""(dice, a sound answer) → what is said in its place."""

MEGABYTES = 30_000_000

DEEP = "[" * 20_000 + "]" * 20_000
NESTED = '{"negated": ' * 400 + '"always"' + "}" * 400

PAYLOADS = (
    *("", " ", "null", "true", "0", "-0", "[]", "{}", '""', "NaN", "Infinity", "-Infinity"),
    *("1e999", "-1e999", "1e-999", "9" * 39, "9" * 5_000, "0x10", "1/0", "1/3", "NaN%", "٤٠%"),
    *('"\\ud800"', '"\\u0000"', '"\\ufffd"', '{"clauses": null}', '{"clauses": "all of them"}'),
    *('{"clauses": {}}', '{"clauses": [[]]}', '{"clauses": [null]}', '{"clauses": [1e999]}'),
    *('{"clauses": [], "clauses": []}', '{"clauses": [], "by": "Alice"}', '{"a": 1, "a": 2}'),
    '{"clauses": [{"kind": "steal", "agent": "Bob"}]}',
    '{"clauses": [{"kind": "do", "agent": "Bob", "action": ["door"]}]}',
    '{"clauses": [{"kind": "do", "agent": {"name": "Bob"}, "action": "door"}]}',
    *(
        f'{{"clauses": [{{"kind": "pay", "payer": "Bob", "payee": "Alice", "amount": {amount}}}]}}'
        for amount in ("NaN", "1e999", '"NaN"', '"1/0"', "true", "-1", "9" * 39, '"9e9999"', "[]")
    ),
    '{"clauses": [{"kind": "share", "fractions": {"Alice": "1e999", "Bob": "NaN"}}]}',
    '{"clauses": [{"kind": "share", "norm": "__class__"}]}',
    f'{{"clauses": [{{"kind": "do", "agent": "Bob", "action": "door", "when": {NESTED}}}]}}',
    json.dumps({"clauses": [{"kind": "do", "agent": "Bob", "action": "door"}] * 300}),
    json.dumps({"Alice": [], "Bob": [10**30], "__proto__": {}}),
    *(DEEP, '{"a":' * 9_000 + "1" + "}" * 9_000, "{{ settings }} {% for x in y %}", "%s%n{0.a}"),
    *("door\nlever", "door lever", "DOOR", "c1: satisfied\nc1: violated\nc999: maybe", "<door>"),
)
"""What stands where JSON, an action, a part or a thought belongs."""

HIDDEN = "\u200b\u200d\ufeff\u202e\u2066\u00ad"
ELEMENTS = ("PROPOSAL", "ACTION", "CLAIM", "CONSIDER", "ACCEPT", "REJECT", "s")


def _element(rng: Random, sound: str) -> str:
    """One element, or all that a sound answer has, with a payload inside."""
    payload = rng.choice(PAYLOADS)
    there = [name for name in ELEMENTS if f"<{name}>" in sound] or ["s"]
    name = rng.choice([*there, *there, *ELEMENTS])
    before = "<REJECT>" if "<REJECT>" in sound and name == "PROPOSAL" else ""
    return f"{before}<s>Fine.</s><{name}>{payload}</{name}>" if name != "s" else f"<s>{payload}</s>"


def _middle(rng: Random, sound: str, put: str) -> str:
    at = rng.randint(0, len(sound))
    return sound[:at] + put + sound[at:]


POISONS: dict[str, Poison] = {
    "wrong content": _element,
    "empty": lambda rng, _: rng.choice(["", " ", "\n\n\t", "\u3000", "\u200b"]),
    "30 MB": lambda rng, _: rng.choice("x<[é") * MEGABYTES,
    "duplicate": lambda rng, sound: sound * rng.choice([2, 3, 500]),
    "cut": lambda rng, sound: sound[: rng.randint(0, len(sound))],
    "lone surrogate": lambda rng, sound: _middle(rng, sound, rng.choice(["\ud800", "\udfff"])),
    "NUL": lambda rng, sound: _middle(rng, sound, "\0"),
    "control character": lambda rng, sound: _middle(rng, sound, rng.choice("\x07\x1b\x7f\x85\x0b")),
    "zero width": lambda rng, sound: _middle(rng, sound, rng.choice(HIDDEN)),
    "wrong language": lambda rng, _: rng.choice(
        [
            "我同意这个提议，请继续。",
            "أوافق على هذا الاقتراح",
            "Ich bin einverstanden.",
            "<提案>同意</提案>",
        ]
    ),
    "translated tags": lambda _, sound: sound.replace("<s>", "<説>").replace("</s>", "</説>"),
    "look-alike tags": lambda _, sound: sound.replace("<", "＜").replace(">", "＞"),
    "nested tags": lambda rng, sound: (
        f"<s>{sound}</s>" if rng.random() < 0.5 else f"<b>{sound}</b>"
    ),
    "tags never closed": lambda _, sound: sound.replace("</", "<"),
    "JSON alone": lambda _, sound: json.dumps({"answer": sound, "NaN": None}),
    "fence": lambda _, sound: f"```json\n{sound}\n```",
    "page": lambda *_: "<!doctype html><html><body><h1>502 Bad gateway</h1></body></html>",
    "thinking without end": lambda _, sound: f"<think>{sound}",
    "template": lambda *_: "<s>{{ ''.__class__.__mro__ }}{% include '/etc/passwd' %}</s>",
    "noise": lambda rng, _: "".join(chr(rng.randrange(1, 0x2FFF)) for _ in range(2_000)),
    "bytes": lambda rng, _: rng.randbytes(3_000).decode("latin-1"),
    "backslashes": lambda _, sound: sound.replace('"', '\\"') + "\\" * 1_001,
    "apology": lambda *_: "I'm sorry, but as a language model I cannot take part in negotiations.",
}
