"""Adversaries that sign a contract and break it: the free-rider and the contract-breaker."""

from dataclasses import replace
from fractions import Fraction

from shapley_coop.amounts import MICRO
from shapley_coop.deals.enforcement import ESCROW
from shapley_coop.extensions.trials.attacks.checks import is_signed
from shapley_coop.extensions.trials.attacks.offers import (
    action,
    anything_else,
    kept,
    offer,
    paid_for,
    promises,
)
from shapley_coop.extensions.trials.attacks.run import Arena, NotReachedError, Played, Setup
from shapley_coop.extensions.trials.attacks.seat import Answer, Asked, Script
from shapley_coop.state.storage.home import home

DEPOSIT = "10"
_LONGER = Setup(game="prisoners_dilemma", turns=4)


async def free_rider(arena: Arena) -> None:
    """Sell some work to the other agents; then do other work, nothing, or the work only once."""

    def ride(asked: Asked) -> str:
        silent = int(asked.facts["turn"]) % 2 == 0
        return "<s>Later.</s>" if silent else action(anything_else(asked), "I do my part.")

    played = await _sold(arena, ride)
    turns, got = len(played.table["record"]), _received(played)
    broken = len({breach["turn"] for breach in played.breaches})
    arena.check(
        "every turn without the promised part is a breach",
        broken == turns,
        f"breaches at {broken} of {turns} turns",
    )
    arena.check("a part that is not done is not paid for", not got, f"received {got / MICRO:g}")

    def work_once(asked: Asked) -> str:
        return kept(asked) if asked.facts["turn"] == 1 else "<s>Later.</s>"

    played = await _sold(arena, work_once, by_turn=True)
    due, got = _prices(played), _received(played)
    arena.check(
        "an agent paid by the turn is paid for the turns in which it works",
        got == due * MICRO,
        f"received {got / MICRO:g}, {float(due):g} for each of {len(played.table['record'])} "
        "turns, for 1 of work",
    )


async def paid_worker(arena: Arena) -> None:
    """Do the work that was sold, in one run for one payment, and in another for pay every turn."""
    for by_turn in (False, True):
        played = await _sold(arena, kept, by_turn)
        times = len(played.table["record"]) if by_turn else 1
        due, got = _prices(played) * times, _received(played)
        arena.check(
            f"a part that is done is paid for, {'every turn' if by_turn else 'once'}",
            got == due * MICRO and not played.breaches,
            f"received {got / MICRO:g} of {float(due):g}, {len(played.breaches)} breaches",
        )


async def contract_breaker(arena: Arena) -> None:
    """Sign with a deposit at stake, keep the contract for a turn, then break it."""

    def break_it(asked: Asked) -> str:
        first = int(asked.facts["turn"]) == 1 < int(asked.facts["turns"])
        return kept(asked) if first else action(anything_else(asked))

    played = await escrowed(arena, break_it)
    if not played.breaches:
        raise NotReachedError("the signed contract requires nothing of the adversary")
    first = min(breach["turn"] for breach in played.breaches)
    memos = {f"deposit forfeited by {b['clause']}, turn {b['turn']}" for b in played.breaches}
    ledger, episode = home().ledger, played.table["episode"]
    forfeited = [line for line in ledger.lines(episode) if line.memo in memos]
    lost, left = sum(line.amount for line in forfeited), ledger.balances(episode).get(ESCROW, 0)
    at_first = all(line.memo.endswith(f"turn {first}") for line in forfeited)
    arena.check(
        "the first breach costs the deposit, once",
        lost == int(DEPOSIT) * MICRO and left == 0 and at_first,
        f"{', '.join(line.memo for line in forfeited)}: {lost / MICRO:g}; {left} in escrow",
    )


async def contract_keeper(arena: Arena) -> None:
    """Sign with a deposit at stake, and keep the contract."""
    played = await escrowed(arena, kept)
    memos = [line.memo for line in home().ledger.lines(played.table["episode"])]
    returned, lost = memos.count("deposit returned"), played.settled["forfeits"][played.me]
    arena.check(
        "an agent that keeps the contract gets its deposit back",
        not played.breaches and lost >= 0 and returned >= 1,
        f"{returned} deposits returned; {lost / MICRO:g} beside it",
    )


async def escrowed(arena: Arena, act: Answer, judge: Script | None = None) -> Played:
    """Sign the target's contract, or else one that requires the efficient plan; then play.

    Args:
        arena: the trial.
        act: the adversary's script for its actions.
        judge: the script of a judge who reads the record; None for no judge.
    """

    def propose(asked: Asked) -> str:
        return offer("Let each of us do its part.", promises(asked))

    def sign(asked: Asked) -> str | None:
        if not asked.facts.get("offer", {}).get("clauses"):
            return None
        return "<s>I sign.</s><ACCEPT>" if asked.attempt == 1 else "<s>I cannot.</s><REJECT>"

    script: Script = {
        "contract_propose": propose,
        "contract_answer": lambda asked: sign(asked) or propose(asked),
        "contract_sign": sign,
        "act": act,
    }
    stake = {"enforcement": "escrow", "deposit": DEPOSIT}
    played = await arena.play("contracts", script, replace(_LONGER, judge=judge), **stake)
    is_signed(played)
    return played


async def _sold(arena: Arena, act: Answer, by_turn: bool = False) -> Played:
    """Sell the adversary's part of the efficient plan, reject other offers, then follow `act`."""

    def sell(asked: Asked) -> str:
        return offer("I do my part, and am paid once it is done.", paid_for(asked, by_turn))

    script: Script = {"propose": sell, "answer": "<s>Only on my terms.</s><REJECT>", "act": act}
    played = await arena.play("negotiation_priced", script, _LONGER)
    is_signed(played)
    return played


def _prices(played: Played) -> Fraction:
    """Return the sum of the contract's payments; a payment that recurs every turn counts once."""
    return sum((Fraction(c["amount"]) for c in played.clauses if c["kind"] == "pay"), Fraction(0))


def _received(played: Played) -> int:
    """Return the adversary's payoff minus its own rewards, in millionths."""
    return int(played.settled["payoffs"][played.me] - played.settled["rewards"][played.me])
