"""The embedded agent after the game: it claims a share and bargains over the split."""

from dataclasses import dataclass
from fractions import Fraction

from shapley_coop.deals.language.clauses import Share
from shapley_coop.seats.embedded.letter_facts import Reader, fact, number, offer
from shapley_coop.seats.embedded.outlook import EPSILON

_NO_SPLIT = "<s>I propose nothing: let what we signed stand.</s><REJECT>"


@dataclass(frozen=True)
class Splitter(Reader):
    """An embedded agent that bargains over the division of the total earnings."""

    def claim(self) -> str:
        """Return my claim from the recorded effects; the norm's values are not yet known."""
        me, agents = fact(self.facts, "you"), fact(self.facts, "agents")
        part = self._seen(own=1).get(me, Fraction(1, len(agents)))
        own = min(Fraction(1), part * Fraction(self.self_.claim)).limit_denominator(1000)
        return f"<s>{round(100 * own)} % of this was my doing.</s><CLAIM>{own}</CLAIM>"

    def propose(self) -> str:
        """Propose the split by the norm, or by observed effects if no values are computed.

        I usually propose nothing if the signed contract gives me more.
        """
        signed = number(self.facts, "as_signed", fact(self.facts, "you"))
        due = self._due
        if due is None or not self.facts.get("norms"):
            return self._split_as_seen(signed)
        if signed > due + EPSILON and self.rng.random() >= self.self_.fairness:
            return _NO_SPLIT
        value = fact(self.facts, "computed", "values", fact(self.facts, "you"))
        said = f"By the record my value is {value}; I need no more and no less"
        return offer(said, [Share(norm=self.facts["norms"][0])])

    def reply(self) -> str:
        """Accept my payoff by contract or more; accept a little less if I am due less by norm."""
        me = fact(self.facts, "you")
        mine = number(self.facts, "offer", "payoffs", me)
        signed = number(self.facts, "as_signed", me)
        due = signed if self._due is None else self._due
        concession = self.self_.fairness * max(0.0, signed - due)
        if mine >= signed - concession - EPSILON:
            return "<s>I agree because the record supports it.</s><ACCEPT>"
        return "<s>I disagree because I would be left with less.</s><REJECT>"

    @property
    def _due(self) -> float | None:
        """My payoff by the computed split, or None if no split was computed."""
        if not self.facts.get("computed"):
            return None
        return number(self.facts, "computed", "payoffs", fact(self.facts, "you"))

    def _seen(self, own: float) -> dict[str, Fraction]:
        """Return agent → its fraction of the amounts in recorded effects; empty without amounts.

        Args:
            own: the factor by which I multiply my own amount.
        """
        amounts = dict.fromkeys(fact(self.facts, "agents"), 0)
        for turn in self.record:
            for effect in turn.get("effects", []):
                if effect.get("agent") in amounts and effect.get("amount", 0) > 0:
                    amounts[effect["agent"]] += int(effect["amount"])
        amounts[fact(self.facts, "you")] = round(own * amounts[fact(self.facts, "you")])
        total = sum(amounts.values())
        return {a: Fraction(x, total) for a, x in amounts.items()} if total else {}

    def _split_as_seen(self, signed: float) -> str:
        """Propose a split by observed effects if it gives me more than the signed contract."""
        parts = self._seen(own=self.self_.claim)
        mine = parts.get(fact(self.facts, "you"), Fraction(0))
        if mine * number(self.facts, "total") <= signed + EPSILON:
            return _NO_SPLIT
        said = f"I propose a split by what was done; {round(100 * mine)} % was my doing"
        return offer(said, [Share(fractions=parts)])
