"""The embedded author of scenarios, which needs no model.

It gives the same answers as the generator `exchange.domain.preferences`: it composes descriptions,
and computes scores from the words of a preference and the seed.
"""

import json
from typing import Any

from shapley_coop.extensions.exchange.domain.masks import from_bits
from shapley_coop.extensions.exchange.domain.preferences import scores
from shapley_coop.extensions.exchange.domain.registry import compose
from shapley_coop.extensions.exchange.domain.scenario import Atom
from shapley_coop.games.foresight import Missing, check_facts
from shapley_coop.seats.embedded.letter_facts import Reader


class Author(Reader):
    """An embedded agent that writes a scenario."""

    def sheet(self) -> str:
        """Return a message with a description or a score of each listed set of tasks."""
        try:
            sheet = self._composed()
        except Missing as missing:
            return f"<s>I cannot decide: {missing}.</s>"
        return f"<PROPOSAL>{json.dumps(sheet, ensure_ascii=False)}</PROPOSAL>"

    def _composed(self) -> dict[str, Any]:
        facts = self.facts
        check_facts(facts, "you", "atoms", "composites")
        atoms = [Atom(a["task"], a["arguments"], a["says"]) for a in facts["atoms"]]
        asked = {bits: from_bits(bits, len(atoms)) for bits in facts["composites"]}
        if facts["ask"] == "exchange_describe":
            says = [atom.says for atom in atoms]
            return {bits: compose(says, mask) for bits, mask in asked.items()}
        check_facts(facts, "preference")
        table = scores(facts["preference"], atoms, self.seed, facts["you"])
        return {bits: int(table[mask]) for bits, mask in asked.items()}
