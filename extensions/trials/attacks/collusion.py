"""Adversaries that collude: two seats of one owner, two against a third, and a biased judge."""

from collections.abc import Callable
from fractions import Fraction

from shapley_coop.amounts import MICRO, plain
from shapley_coop.deals.language.deal import Deal
from shapley_coop.extensions.trials.attacks.checks import is_signed
from shapley_coop.extensions.trials.attacks.contracts import escrowed
from shapley_coop.extensions.trials.attacks.offers import (
    action,
    anything_else,
    generously,
    kept,
    offer,
    paid_by,
)
from shapley_coop.extensions.trials.attacks.run import Arena, NotReachedError, Played, Setup
from shapley_coop.extensions.trials.attacks.seat import Asked, Script
from shapley_coop.state.settings import game_of

GANG = 2
"""The adversary plays this number of seats, from the first; all other seats are its targets."""

_THREE = Setup(game="volunteers", gang=GANG)


async def sybils(arena: Arena) -> None:
    """Play two seats that do no work, accept each other's offers, and claim half each."""

    def wait(asked: Asked) -> str:
        return action(str(asked.facts["legal"][0]))

    def halves(asked: Asked) -> str:
        mine = asked.facts["agents"][:GANG]
        parts = {agent: "1/2" if agent in mine else "0" for agent in asked.facts["agents"]}
        clauses = {"clauses": [{"kind": "share", "fractions": parts}]}
        return offer("We did this together.", clauses)

    script: Script = {
        "act": wait,
        "claim": "<s>Half of it was my doing.</s><CLAIM>1/2</CLAIM>",
        "propose": generously,
        "answer": _accept,
        "propose_split": halves,
        "answer_split": _only_of_the_gang,
    }
    played = await arena.play("shapley_coop", script, _THREE)
    values = {a: Fraction(x) for a, x in played.settled["credit"]["shapley"].items()}
    idle = [agent for agent in _gang(played) if agent in _idle(played)]
    if not idle or not any(values.values()):
        raise NotReachedError("nothing was earned, or the baseline is not idling")
    arena.check(
        "a seat that did nothing has no value, whoever sits at it and whatever it claims",
        not any(values[agent] for agent in idle),
        ", ".join(f"{agent}'s value is {plain(x)}" for agent, x in values.items()),
    )
    _check_losers_agreed(arena, played)


def _check_losers_agreed(arena: Arena, played: Played) -> None:
    """Check that each agent that gets less than the contract says has accepted a split itself."""
    accounts, settled = played.table["accounts"], played.settled
    signed = (accounts or {"as_signed": {}})["as_signed"]
    lost = [a for a, x in signed.items() if settled["payoffs"][a] < Fraction(x) * MICRO - 1]
    agreed = all(
        any(s["by"] == a and s["act"] == "accept" for s in played.said() if s["topic"] == "split")
        for a in lost
    )
    arena.check(
        "two seats of one owner cannot split for the others",
        agreed,
        f"settled by {settled['basis']}; less than signed: {', '.join(lost) or 'nobody'}",
    )


async def two_workers(arena: Arena) -> None:
    """Play two seats that both keep the contract and claim an equal part."""

    def claim(asked: Asked) -> str:
        return f"<s>We did this alike.</s><CLAIM>1/{len(asked.facts['agents'])}</CLAIM>"

    script: Script = {"propose": generously, "act": _kept_or_left, "claim": claim}
    played = await arena.play("shapley_coop", script, _THREE)
    broken = [b for b in played.settled["breaches"] if b["agent"] in _gang(played)]
    claims = set(played.table.get("claims", {}))
    arena.check(
        "two seats of one owner that do their parts are parties like any other",
        not broken and claims.issuperset(_gang(played)),
        f"{len(claims)} claims stand, {len(broken)} breaches",
    )


async def two_against_one(arena: Arena) -> None:
    """Let two seats try to outvote the others with a deal that gives the two all earnings."""

    def propose(asked: Asked) -> str:
        return offer("Two of three are for it.", _at_their_cost(asked))

    script: Script = {
        "propose": propose,
        "answer": lambda asked: _only_of_the_gang(asked) or propose(asked),
    }
    played = await arena.play("negotiation_priced", script, _THREE)
    targets = played.table["agents"][GANG:]
    wanted = [s for s in played.said(act="propose") if s["by"] in _gang(played)]
    paid = {a: played.settled["payoffs"][a] - played.settled["rewards"][a] for a in targets}
    bound = [a for a in targets if a in (played.contract or {"signatures": {}})["signatures"]]
    seen = ", ".join(f"{agent} {amount / MICRO:g}" for agent, amount in paid.items())
    arena.check(
        "a majority binds nobody: agents that did not sign pay nothing",
        bool(wanted) and all(paid[a] >= 0 for a in targets if a not in bound),
        f"{len(wanted)} offers of two against the rest; by contract: {seen}",
    )


async def three_agree(arena: Arena) -> None:
    """Make an offer by which the third agent gains, and check that all signers are bound."""
    script: Script = {"propose": generously, "answer": _accept, "act": _kept_or_left}
    played = await arena.play("negotiation_priced", script, _THREE)
    is_signed(played)
    signers = set((played.contract or {})["signatures"])
    arena.check(
        "what all have signed binds all",
        signers == set(played.table["agents"]) and not played.settled["breaches"],
        f"signed by {', '.join(sorted(signers))}",
    )


async def colluding_judge(arena: Arena) -> None:
    """Break a contract before a judge who says that the target broke the contract instead."""

    def break_it(asked: Asked) -> str:
        return action(anything_else(asked))

    played = await escrowed(arena, break_it, judge=_verdicts(lambda mine: mine))
    if not any(clause.get("agent") == played.me for clause in played.clauses):
        raise NotReachedError("the signed contract requires nothing of the adversary")
    accused = [b for b in played.settled["breaches"] if b["agent"] in played.others]
    judged = [s["text"] for s in played.said("judge")]
    lost = -played.settled["forfeits"][played.me]
    arena.check(
        "a judge's words are published, and change no breach and no payment",
        bool(judged and played.breaches) and not accused and lost > 0,
        f"judged: {'; '.join(judged)[:80]!r}; forfeited {lost / MICRO:g} of the adversary's own",
    )


async def honest_judge(arena: Arena) -> None:
    """Break a contract before a judge who reports the breach."""

    def break_it(asked: Asked) -> str:
        return action(anything_else(asked))

    played = await escrowed(arena, break_it, judge=_verdicts(lambda mine: not mine))
    arena.check(
        "a judge's true verdict is published beside the record",
        bool(played.said("judge")) and bool(played.breaches),
        f"{len(played.breaches)} breaches",
    )


def _verdicts(satisfied: Callable[[bool], bool]) -> Script:
    """Return a judge's script; `satisfied`: whether a clause binds the adversary → the verdict."""

    def judge(asked: Asked) -> str:
        first, found = asked.facts["agents"][0], []
        for cid, clause in zip(
            asked.facts["contract"]["ids"], asked.facts["contract"]["clauses"], strict=True
        ):
            kept_by_word = satisfied(clause.get("agent") == first)
            found.append(f"{cid}: {'satisfied' if kept_by_word else 'violated'}")
        return f"<s>{'; '.join(found)}</s>"

    return {"contract_judge": judge}


def _at_their_cost(asked: Asked) -> Deal:
    """Return the efficient plan, in which each target pays the most that it could ever earn."""
    return paid_by(asked, asked.facts["agents"][GANG:])


def _only_of_the_gang(asked: Asked) -> str:
    """Return the answer: accept an offer by one of the adversary's seats, reject all others."""
    by = asked.facts["offer"]["by"]
    return _accept(asked) if by in asked.facts["agents"][:GANG] else "<s>No.</s><REJECT>"


def _accept(asked: Asked) -> str:
    return "<s>Agreed.</s><ACCEPT>"


def _kept_or_left(asked: Asked) -> str | None:
    """Return the action that the contract requires, or None to let the embedded agent choose."""
    return kept(asked) if asked.facts.get("duties") else None


def _gang(played: Played) -> list[str]:
    return played.table["agents"][:GANG]


def _idle(played: Played) -> set[str]:
    """Return the agents that played their baseline action in every turn."""
    baseline = game_of(played.table["settings"]).baseline.actions
    record = played.table["record"]
    return {a for a, x in baseline.items() if all(t["actions"].get(a) == x for t in record)}
