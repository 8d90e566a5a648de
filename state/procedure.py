"""The facts that tell letters' readers the run's procedure, from workflow and settings."""

from functools import lru_cache
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.deals.language.clauses import KINDS
from shapley_coop.state.budget import UNLIMITED
from shapley_coop.state.turn import Question, TurnContext

BARGAINING = ("propose", "contract_propose")
"""The names of the questions that open a bargaining before play."""

MONEY, DUTIES, GOODS = ("pay", "share"), ("do", "forbid"), ("give",)
BROUGHT = tuple(kind for kind in KINDS if kind not in (*MONEY, *DUTIES, *GOODS))


@lru_cache(maxsize=16)  # cached: agents that are asked in parallel share these facts
def procedure(turn: TurnContext) -> dict[str, Any]:
    """Return the run's steps and rules, which are the same in all letters of the run."""
    config, game = turn.evaluated.config, turn.evaluated.game
    steps, computed = _page(turn.question)
    bargains = any(act in steps for act in BARGAINING)
    told: dict[str, Any] = {
        "steps": list(steps),
        "turns": game.turns,
        "rounds": config.rounds,
        "bargains": bargains,
        "budget": config.budget != UNLIMITED,
    }
    for one in _questions_of(turn.question):
        if one.course:
            told["course"] = {"of": one.name, "words": one.course(config)}
    if bargains:
        terms = turn.evaluated.enforcement
        told |= {"renegotiate": config.renegotiate, "enforcement": terms.mode}
        told["payments"] = _admits_payments(turn.question)
        if terms.mode == "escrow":
            told["deposit"] = "" if terms.deposit is None else plain(terms.held())
    if "propose_split" in steps:
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


def _admits_payments(question: Question[Any]) -> bool:
    """Return whether deals before play may contain payments and splits."""
    return all(one.topic.payments for one in _questions_of(question) if one.name in BARGAINING)


def _questions_of(question: Question[Any]) -> tuple[Question[Any], ...]:
    """Return all questions of a question's workflow, in order."""
    return question.page() or (question,)


def _page(question: Question[Any]) -> tuple[tuple[str, ...], bool]:
    """Return the names of a workflow's questions, and whether its last bargaining shows values."""
    page = _questions_of(question)
    acts = tuple(dict.fromkeys(one.name for one in page))
    return acts, any(one.topic.computed and one.topic.phase == "settlement" for one in page)
