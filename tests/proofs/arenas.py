"""Per workflow: deals that pay a party less than its reservation value, and a fair deal."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from shapley_coop.deals.language.clauses import Do, Pay, Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import Event, Last, Turns
from shapley_coop.extensions.exchange.domain import scenario

AGENTS = ("Alice", "Bob")


@dataclass(frozen=True)
class Arena:
    """One workflow and what is at stake in it.

    Attributes:
        workflow: its name.
        game: what is played.
        params: of the game.
        reservation: what the victim requires, as its secret says it.
        unfair: (dice, attacker, victim) → a proposal, as JSON, that leaves the victim less.
        fair: (attacker, victim) → one that leaves it enough.
        acts: by which such deals are asked for.
    """

    workflow: str
    game: str
    reservation: str
    unfair: Callable[[Random, str, str], Any]
    fair: Callable[[str, str], Any]
    acts: tuple[str, ...] = ("propose", "answer")
    params: dict[str, Any] = field(default_factory=dict)


def _plans(attacker: str, victim: str) -> list[Deal]:
    """Plans for a dilemma of two turns in which all together earn 2 each: the victim keeps less."""
    both = [Do(agent=agent, action="cooperate") for agent in AGENTS]
    did = Last(last=Event(agent=attacker, action="cooperate"))

    def pays(amount: str, **terms: Any) -> Pay:
        return Pay(payer=victim, payee=attacker, amount=amount, **terms)

    small = [pays("1/10", when=Turns(turns=(turn, turn))) for turn in (1, 2) for _ in range(4)]
    return [
        Deal(clauses=(*both, pays("1"))),
        Deal(clauses=(Do(agent=victim, action="cooperate"),)),
        Deal(clauses=(*both, pays("1/2", basis="turn"))),
        Deal(clauses=(*both, Share(fractions={victim: "1/10", attacker: "9/10"}))),
        Deal(clauses=(*both, pays("9/10", basis="reward"))),
        Deal(clauses=(*both, pays("1", when=did))),
        Deal(clauses=(*both, Pay(payer=attacker, payee=victim, amount="1/10"), pays("6/5"))),
        Deal(clauses=(*both, *small)),
    ]


def _unfair_plan(rng: Random, attacker: str, victim: str) -> Any:
    return rng.choice(_plans(attacker, victim)).record()


def _fair_plan(attacker: str, victim: str) -> Any:
    return Deal(clauses=tuple(Do(agent=agent, action="cooperate") for agent in AGENTS)).record()


def unfair_split(rng: Random, attacker: str, victim: str) -> Any:
    """A split that leaves the victim too little of any total of these games."""
    part, rest = rng.choice([("0", "1"), ("1/10", "9/10"), ("1/4", "3/4")])
    return Deal(clauses=(Share(fractions={victim: part, attacker: rest}),)).record()


def _fair_split(attacker: str, victim: str) -> Any:
    return Deal(clauses=(Share(fractions=dict.fromkeys(AGENTS, "1/2")),)).record()


PAPER = scenario("paper_cooperative")
REQUIRED = 0.7


def _unfair_trade(rng: Random, attacker: str, victim: str) -> Any:
    masks = [m for m in range(1, 63) if PAPER.utility(victim, m) < REQUIRED]
    return _allocation(victim, rng.choice(masks))


def _fair_trade(attacker: str, victim: str) -> Any:
    return _allocation("Alice", 0b010001)


def _allocation(agent: str, mask: int) -> dict[str, list[str]]:
    held = {agent: mask, next(a for a in AGENTS if a != agent): 63 ^ mask}
    return {each: [PAPER.tasks.registry.describe(held[each])] for each in AGENTS}


DILEMMA: dict[str, Any] = {
    "game": "prisoners_dilemma",
    "params": {"rounds": 2},
    "reservation": "3/2",
    "unfair": _unfair_plan,
    "fair": _fair_plan,
}
MADE = {"artefacts": {agent: {"code": 10} for agent in AGENTS}}

ARENAS = (
    Arena("contracts", **DILEMMA, acts=("contract_propose", "contract_answer")),
    Arena("negotiation_priced", **DILEMMA),
    Arena("short_term", **DILEMMA),
    Arena("shapley_coop", **DILEMMA),
    Arena(
        "settlement",
        game="delivered",
        params=MADE,
        reservation="40",
        unfair=unfair_split,
        fair=_fair_split,
        acts=("propose_split", "answer_split"),
    ),
    Arena(
        "consent",
        game="delivered",
        params=MADE,
        reservation="40",
        unfair=unfair_split,
        fair=_fair_split,
        acts=("answer_bounty",),
    ),
    Arena(
        "task_exchange",
        game="task_exchange",
        reservation=str(REQUIRED),
        unfair=_unfair_trade,
        fair=_fair_trade,
        acts=("exchange",),
        params={"attempts": 2, "talk": 4},
    ),
)
