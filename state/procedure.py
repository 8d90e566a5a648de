"""The facts about a run's procedure in its letters, which follow from workflow and settings."""

from functools import lru_cache
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.deals.language.clauses import KINDS
from shapley_coop.state.budget import UNLIMITED
from shapley_coop.state.turn import TurnContext

MONEY, DUTIES, GOODS = ("pay", "share"), ("do", "forbid"), ("give",)
BROUGHT = tuple(kind for kind in KINDS if kind not in (*MONEY, *DUTIES, *GOODS))


@lru_cache(maxsize=16)  # cached: agents that are asked in parallel share these facts
def procedure(turn: TurnContext) -> dict[str, Any]:
    """Return the run's steps and rules, which are the same in all letters of the run."""
    config, game = turn.evaluated.config, turn.evaluated.game
    page = turn.question.page() or (turn.question,)
    steps = list(dict.fromkeys(one.name for one in page))
    before = [one.topic for one in page if one.opens and one.topic.phase == "negotiation"]
    told: dict[str, Any] = {
        "steps": steps,
        "turns": game.turns,
        "unit": game.unit,
        "rounds": config.rounds,
        "bargains": bool(before),
        "budget": config.budget != UNLIMITED,
    }
    for one in page:
        if one.course:
            told["course"] = {"of": one.name, "words": one.course(config)}
    if before:
        terms = turn.evaluated.enforcement
        told |= {"renegotiate": config.renegotiate, "enforcement": terms.mode}
        told["payments"] = all(topic.payments for topic in before)
        if terms.mode == "escrow":
            told["deposit"] = "" if terms.deposit is None else plain(terms.held())
    if "propose_split" in steps:
        after = [one.topic for one in page if one.topic.phase == "settlement"]
        computed = any(topic.computed for topic in after)
        told |= {"computed": computed, "disagreement": config.disagreement, "norm": config.norm}
    return told


def clause_kinds(turn: TurnContext) -> tuple[str, ...]:
    """Return the kinds of clauses that an offer may have; () if the letter explains no clauses."""
    if not turn.question.teaches:
        return ()
    if turn.topic.phase == "settlement":
        return MONEY
    goods = GOODS if turn.evaluated.game.goods else ()
    return (*DUTIES, *MONEY, *goods, *BROUGHT) if turn.topic.payments else DUTIES
