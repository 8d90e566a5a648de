"""Negotiators of NegMAS as seats, in games of two agents.

A seat is `python:shapley_coop.extensions.opponents.negmas_seat:boulware`.

The seats need the extra `negmas`, whose library is under the AGPL 3.0.

The agents negotiate the split of the surplus of the best joint action. An outcome is the first
agent's share in percent, within the agents' means, and becomes a deal of this joint action and one
payment. Each offer of the talk is one offer in NegMAS's alternating offers (`SAOMechanism`). To
answer a letter, the whole talk is replayed to a new negotiator, so a seat keeps no memory. Any
offer of the other agent is read as the share that the offer leaves to this agent.

    from shapley_coop.extensions.opponents.negmas_seat import Negotiator
    mine = Negotiator(MyNegotiator)        # bots.py: coop run … --agent Bob=python:bots:mine
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from importlib import import_module
from math import ceil, floor
from typing import Any

from shapley_coop.deals.analysis.stage import StageGame
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.written.reading import read_words
from shapley_coop.extensions.opponents.arbiters import split
from shapley_coop.extensions.opponents.baselines import ACCEPT, REJECT, Baseline, awarded
from shapley_coop.extras import require_extra
from shapley_coop.seats.embedded.letter_facts import proposal, terms_of
from shapley_coop.seats.embedded.outlook import Outlook

Facts = Mapping[str, Any]

PARTS = 100
"""An outcome is (k,): the first agent gets k of `PARTS` parts of the surplus."""


@dataclass(frozen=True)
class Negotiator:
    """The factory of a `python:` seat that plays a negotiator of NegMAS.

    Attributes:
        kind: a class of negotiators, or the name of a class in `negmas.sao`.
    """

    kind: str | Callable[..., Any]

    def __call__(self, agent: str, seed: int) -> Callable[[dict[str, Any], str], Any]:
        """Return the function that answers an agent's letters.

        The function raises ValueError without NegMAS, with more than two agents, and in a game
        without payoffs or without a surplus.
        """
        return Baseline(self._talk)(agent, seed)

    def check_library(self) -> None:
        """Refuse the seat if NegMAS is not installed.

        Raises:
            LibraryMissing: the extra `negmas` is not installed.
        """
        _library()

    def _talk(self, facts: Facts, stage: StageGame, seed: int) -> str:
        table = _Table(facts, stage)
        agreed, offered = table.replayed(self._made())
        if facts.get("offer") and agreed:
            return f"<s>I accept.</s>{ACCEPT}"
        last = facts.get("offer") and facts["round"] == facts["rounds"]
        deal = None if last or offered is None else table.deal(offered)
        if deal is None:
            return f"<s>I offer nothing.</s>{REJECT}"
        return f"{REJECT if facts.get('offer') else ''}<s>I offer this.</s>{proposal(deal)}"

    def _made(self) -> Any:
        _, sao = _library()
        kind = getattr(sao, self.kind) if isinstance(self.kind, str) else self.kind
        return kind()


def _library() -> tuple[Any, Any]:
    with require_extra("negmas", "a negotiator of NegMAS"):
        return import_module("negmas"), import_module("negmas.sao")


@dataclass(frozen=True)
class _Table:
    """The talk in a letter, as alternating offers over a split."""

    facts: Facts
    stage: StageGame

    def __post_init__(self) -> None:
        if len(self.stage.agents) != 2 or self.surplus <= 0:
            raise ValueError("it needs a two-agent game in which an agreement can gain something")

    @property
    def me(self) -> int:
        """The index of the answering agent, 0 or 1."""
        return self.stage.agents.index(self.facts["you"])

    @property
    def surplus(self) -> Fraction:
        """The best total of all turns minus the sum of the disagreement point."""
        return self.stage.turns * self.stage.best_total - sum(self.stage.disagreement)

    @property
    def outcomes(self) -> tuple[int, int]:
        """The least and the largest share of the first agent that the payer can afford."""
        stage, without = self.stage, self.stage.disagreement[0]
        best = max(pays for pays in stage.pays.values() if sum(pays) == stage.best_total)
        most = [stage.most[agent] for agent in stage.agents]
        low, high = best[0] * stage.turns - most[0], best[0] * stage.turns + most[1]
        least, largest = (PARTS * (x - without) / self.surplus for x in (low, high))
        return max(ceil(least), 0), min(floor(largest), PARTS)

    def deal(self, part: int) -> Deal | None:
        """Return the deal in which the first agent gets `part` of the `PARTS` parts."""
        parts = [Fraction(part, PARTS), Fraction(PARTS - part, PARTS)]
        return awarded(self.stage, partial(split, parts=parts))

    def outcome(self, deal: Deal) -> int:
        """Return the nearest outcome that gives the answering agent at most this deal's payoff."""
        mine = Fraction(Outlook.of(self.facts, []).value(deal)[self.facts["you"]])
        kept = mine.limit_denominator(10**6) - self.stage.disagreement[self.me]
        part = floor(PARTS * kept / self.surplus)
        least, largest = self.outcomes
        return min(max(part if self.me == 0 else PARTS - part, least), largest)

    def heard(self) -> list[int]:
        """Return the opponent's messages as outcomes; one without an offer is read as the worst."""
        least, found = self.outcomes[self.me], list[int]()
        for line in self.facts["history"]:
            if line.get("by") in (None, self.facts["you"]) or line.get("topic") != "plan":
                continue
            deal = read_words(line.get("offers", ""), terms_of(self.facts))
            found.append(least if isinstance(deal, Fault) else self.outcome(deal))
        return found

    def replayed(self, negotiator: Any) -> tuple[bool, int | None]:
        """Replay the talk; return whether the negotiator accepts, and its last offer (or None)."""
        negmas, sao = _library()
        issues = [negmas.make_issue(self.outcomes, "part")]
        steps = int(self.facts["rounds"]) // 2 + 1
        mechanism = sao.SAOMechanism(issues=issues, n_steps=steps)
        both = [_repeating(sao, self.heard()), negotiator]
        if self._began_it():
            both.reverse()
        for one in both:
            own = self.me if one is negotiator else 1 - self.me
            worth = negmas.preferences.MappingUtilityFunction(
                lambda outcome, own=own: abs(own * PARTS - outcome[0]) / PARTS,
                issues=issues,
                reserved_value=0.0,
            )
            mechanism.add(one, ufun=worth)
        mechanism.run()
        said = [offer[0] for by, offer in mechanism.trace if by == negotiator.id]
        return mechanism.agreement is not None, said[-1] if said else None

    def _began_it(self) -> bool:
        """Return whether the answering agent made, or is about to make, the first offer."""
        lines: Sequence[Any] = [x for x in self.facts["history"] if x.get("topic") == "plan"]
        return not lines or lines[0].get("by") == self.facts["you"]


def _repeating(sao: Any, offers: Sequence[int]) -> Any:
    """Return a negotiator that makes these offers in order and then leaves."""
    left = list(offers)

    class Repeating(sao.SAONegotiator):  # type: ignore[misc]
        def propose(self, state: Any, dest: str | None = None) -> Any:
            return (left.pop(0),) if left else None

        def respond(self, state: Any, source: str | None = None) -> Any:
            end = sao.ResponseType.END_NEGOTIATION
            return sao.ResponseType.REJECT_OFFER if left else end

    return Repeating()


boulware = Negotiator("BoulwareTBNegotiator")
conceder = Negotiator("ConcederTBNegotiator")
linear = Negotiator("LinearTBNegotiator")
tit_for_tat = Negotiator("NaiveTitForTatNegotiator")
micro = Negotiator("MiCRONegotiator")

SHIPPED: dict[str, Negotiator] = {
    "boulware": boulware,
    "conceder": conceder,
    "linear": linear,
    "tit_for_tat": tit_for_tat,
    "micro": micro,
}
"""The negotiators by their names in seats. They are shipped code, so any file may name them."""
