"""The questions to the author of a scenario, and the embedded author, which needs no model.

The embedded author gives the same answers as the generator `games.exchange.preferences`. It joins
the tasks' words to descriptions, and computes scores from preference and seed.
"""

import json
from collections.abc import Mapping
from typing import Any

from shapley_coop.games.exchange.masks import from_bits
from shapley_coop.games.exchange.preferences import scores
from shapley_coop.games.exchange.registry import compose
from shapley_coop.games.exchange.scenario import Atom
from shapley_coop.games.foresight import Missing, check_facts
from shapley_coop.seats.answer import Answer, Facts, Fields
from shapley_coop.seats.asked import Asked


class Sheet(Answer):
    """An answer in JSON with bit strings (sets of tasks) as keys, for which there is no schema."""

    @classmethod
    def tagged(cls, fields: Fields) -> str:
        """Return the answer's fields as JSON text."""
        return json.dumps(fields)

    @classmethod
    def narrowed(cls, facts: Facts, carries: bool = False) -> None:
        """Return None, which means "no schema", so that the answer is read as text."""


def written_sheet(facts: Mapping[str, Any], seed: int) -> str:
    """Return a message with a description or a score of each listed set of tasks."""
    try:
        sheet = _sheet(facts, seed)
    except Missing as missing:
        return f"<s>I cannot decide: {missing}.</s>"
    return f"<PROPOSAL>{json.dumps(sheet, ensure_ascii=False)}</PROPOSAL>"


def _sheet(facts: Mapping[str, Any], seed: int) -> dict[str, Any]:
    check_facts(facts, "you", "atoms", "composites")
    atoms = [Atom(a["task"], a["arguments"], a["says"]) for a in facts["atoms"]]
    asked = {bits: from_bits(bits, len(atoms)) for bits in facts["composites"]}
    if facts["ask"] == "exchange_describe":
        says = [atom.says for atom in atoms]
        return {bits: compose(says, mask) for bits, mask in asked.items()}
    check_facts(facts, "preference")
    table = scores(facts["preference"], atoms, seed, facts["you"])
    return {bits: int(table[mask]) for bits, mask in asked.items()}


DESCRIBE = Asked(
    "exchange_describe",
    "describe sets of tasks",
    Sheet,
    program=lambda me: written_sheet(me.facts, me.seed),
)
SCORE = Asked(
    "exchange_score",
    "score sets of tasks",
    Sheet,
    program=lambda me: written_sheet(me.facts, me.seed),
)
