"""Adversaries that sign and do not keep: the free-rider and the contract-breaker."""

from fractions import Fraction
from typing import Any

from shapley_coop.amounts import MICRO
from shapley_coop.deals.enforcement import ESCROW
from shapley_coop.evals.attacks.checks import (
    Check,
    checked,
    is_signed,
)
from shapley_coop.evals.attacks.offers import action, anything_else, offer, owed, paid_for, promises
from shapley_coop.evals.attacks.run import Arena, NotReachedError, Played
from shapley_coop.evals.attacks.seat import Asked, Script, says
from shapley_coop.state import Line, home

DEPOSIT = "10"
_LONGER: dict[str, Any] = {"game": "prisoners_dilemma", "turns": 4}


async def free_rider(arena: Arena) -> list[Check]:
    """Be paid for a part, and do something else, or nothing at all, or do it only once."""
    return [*await _does_something_else(arena), *await _works_once(arena)]


async def _does_something_else(arena: Arena) -> list[Check]:
    def ride(asked: Asked) -> str:
        silent = int(asked.facts["turn"]) % 2 == 0
        return "<s>Later.</s>" if silent else action(anything_else(asked), "I do my part.")

    played = await arena.play("negotiation", _selling(ride), **_LONGER)
    is_signed(played)
    turns = len(played.table["record"])
    mine = {b["turn"] for b in played.settled["breaches"] if b["agent"] == played.me}
    got = _received(played)
    return checked(
        played,
        Check(
            "every turn without the promised part is a breach",
            len(mine) == turns,
            f"breaches at {len(mine)} of {turns} turns",
        ),
        Check("a part that is not done is not paid for", not got, f"received {got / MICRO:g}"),
    )


async def _works_once(arena: Arena) -> list[Check]:
    def ride(asked: Asked) -> str:
        return _kept(asked) if asked.facts["turn"] == 1 else "<s>Later.</s>"

    played = await arena.play("negotiation", _selling(ride, by_turn=True), **_LONGER)
    is_signed(played)
    due, got = _prices(played), _received(played)
    return checked(
        played,
        Check(
            "who is paid by the turn is paid for the turns in which it works",
            got == due * MICRO,
            f"received {got / MICRO:g}, {float(due):g} for each of {len(played.table['record'])} "
            "turns, for 1 of work",
        ),
    )


async def paid_worker(arena: Arena) -> list[Check]:
    """Be paid for a part, and do it: in one sum, and by the turn."""
    return [check for often in (False, True) for check in await _is_paid(arena, by_turn=often)]


async def _is_paid(arena: Arena, by_turn: bool) -> list[Check]:
    played = await arena.play("negotiation", _selling(_kept, by_turn), **_LONGER)
    is_signed(played)
    due, got = _prices(played) * (len(played.table["record"]) if by_turn else 1), _received(played)
    broken = [b for b in played.settled["breaches"] if b["agent"] == played.me]
    return checked(
        played,
        Check(
            f"a part that is done is paid for, {'every turn' if by_turn else 'once'}",
            got == due * MICRO and not broken,
            f"received {got / MICRO:g} of {float(due):g}, {len(broken)} breaches",
        ),
    )


async def contract_breaker(arena: Arena) -> list[Check]:
    """Sign with a deposit at stake, keep the contract for a turn, then break it."""

    def break_it(asked: Asked) -> str:
        first = int(asked.facts["turn"]) == 1 < int(asked.facts["turns"])
        return _kept(asked) if first else action(anything_else(asked))

    played = await _escrowed(arena, break_it)
    mine = [b for b in played.settled["breaches"] if b["agent"] == played.me]
    if not mine:
        raise NotReachedError("the contract that was signed asks nothing of the adversary")
    first = min(b["turn"] for b in mine)
    memos = {f"deposit forfeited by {b['clause']}, turn {b['turn']}" for b in mine}
    lines = home().ledger.lines(played.table["episode"])
    forfeited = [line for line in lines if line.memo in memos]
    lost = sum(line.amount for line in forfeited)
    left = home().ledger.balances(played.table["episode"]).get(ESCROW, 0)
    return checked(
        played,
        Check(
            "the first breach costs the deposit, once",
            lost == int(DEPOSIT) * MICRO and left == 0 and _at(first, forfeited),
            f"{', '.join(line.memo for line in forfeited)}: {lost / MICRO:g}; {left} in escrow",
        ),
    )


async def contract_keeper(arena: Arena) -> list[Check]:
    """Sign with a deposit at stake, and keep the contract."""
    played = await _escrowed(arena, _kept)
    mine = [b for b in played.settled["breaches"] if b["agent"] == played.me]
    memos = [line.memo for line in home().ledger.lines(played.table["episode"])]
    returned = memos.count("deposit returned")
    lost = played.settled["forfeits"][played.me]
    return checked(
        played,
        Check(
            "who keeps the contract has its deposit back",
            not mine and lost >= 0 and returned >= 1,
            f"{returned} deposits returned; {lost / MICRO:g} beside it",
        ),
    )


async def _escrowed(arena: Arena, act: Script) -> Played:
    """Agree on whatever contract the target drafts, or on doing what is best for all."""

    def script(asked: Asked) -> str | None:
        drafted = bool(asked.facts.get("offer", {}).get("clauses"))
        if drafted and asked.act in ("contract_answer", "contract_sign"):
            return "<s>I sign.</s><ACCEPT>" if asked.attempt == 1 else "<s>I cannot.</s><REJECT>"
        if asked.act in ("contract_propose", "contract_answer"):
            return offer("Let each of us do its part.", promises(asked))
        return act(asked) if asked.act == "act" else None

    played = await arena.play("contracts", script, enforcement="escrow", deposit=DEPOSIT, **_LONGER)
    is_signed(played)
    return played


def _selling(act: Script, by_turn: bool = False) -> Script:
    """Offer one's part for a price, and nothing else."""

    def sell(asked: Asked) -> str:
        return offer("I do my part, and am paid once it is done.", paid_for(asked, by_turn))

    return says(propose=sell, answer="<s>Only on my terms.</s><REJECT>", act=act)


def _kept(asked: Asked) -> str:
    return action((owed(asked) or [asked.facts["legal"][0]])[0])


def _prices(played: Played) -> Fraction:
    """What the contract's payments say, each counted once."""
    clauses = [term["clause"] for term in (played.table["contract"] or {"terms": []})["terms"]]
    return sum((Fraction(c["amount"]) for c in clauses if c["kind"] == "pay"), Fraction(0))


def _received(played: Played) -> int:
    """What the contract brought the scripted agent, in millionths."""
    return int(played.settled["payoffs"][played.me] - played.settled["rewards"][played.me])


def _at(turn: int, lines: list[Line]) -> bool:
    return all(line.memo.endswith(f"turn {turn}") for line in lines)
