"""Adversaries that demand more money than they earned, or the same payment twice."""

from fractions import Fraction

from shapley_coop.amounts import MICRO, plain
from shapley_coop.deals.contract import sign
from shapley_coop.deals.language.clauses import Pay, Share
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.extensions.trials.attacks.checks import is_signed
from shapley_coop.extensions.trials.attacks.offers import offer, willing
from shapley_coop.extensions.trials.attacks.run import Arena, NotReachedError, Played
from shapley_coop.extensions.trials.attacks.seat import Asked, Script
from shapley_coop.graphs.running import follow
from shapley_coop.graphs.threads import configure, open_workflow
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.ledger import Line


async def over_claimer(arena: Arena) -> None:
    """Claim first more than the total payoff, then all of it; reject all other agents' splits."""

    def claim(asked: Asked) -> str:
        part = ["150%", "1e999", "100%"][min(asked.attempt, 3) - 1]
        return f"<s>All of this was my doing: {part}.</s><CLAIM>{part}</CLAIM>"

    def take_all(asked: Asked) -> str:
        mine = {agent: "1" if agent == asked.me else "0" for agent in asked.facts["earned"]}
        deal = Deal(clauses=(Share(fractions=mine),))
        return offer("The record shows that I did it all.", deal)

    script: Script = {
        "claim": claim,
        "propose_split": take_all,
        "answer_split": "<s>No: the record is on my side.</s><REJECT>",
    }
    played = await arena.play("shapley_coop", script)
    stated = _claim(played)
    accounts = played.table["accounts"]
    assert accounts is not None, "accounts are written before the split is bargained over"
    signed_for = {agent: Fraction(x) for agent, x in accounts["as_signed"].items()}
    final = {a: Fraction(played.settled["payoffs"][a], MICRO) for a in signed_for}
    moved = [a for a in final if abs(final[a] - signed_for[a]) > Fraction(1, MICRO)]
    agreed = played.settled["basis"] == "redistribution"
    seen = ", ".join(f"{a} {plain(signed_for[a])} → {plain(final[a])}" for a in final)
    worse = [a for a in played.others if final[a] < signed_for[a] - Fraction(1, MICRO)]
    arena.check(
        "a claim above the whole is refused, and the record is shown beside the largest",
        stated is not None and stated[0] == 1 and played.refused >= 2,
        _shown(stated),
    )
    arena.check("a claim moves no money", agreed or not moved, f"as signed → paid: {seen}")
    arena.check(
        "the target pays nothing for a claim", not worse, f"as signed → paid: {seen}", "seat"
    )


async def honest_claim(arena: Arena) -> None:
    """Claim an equal part before any Shapley value is shown."""

    def claim(asked: Asked) -> str:
        assert "computed" not in asked.facts, "claims are made blind"
        return f"<s>We did this alike.</s><CLAIM>1/{len(asked.facts['agents'])}</CLAIM>"

    played = await arena.play("shapley_coop", {"claim": claim})
    stated = _claim(played)
    stands = stated is not None and stated[0] == Fraction(1, len(played.table["agents"]))
    arena.check("an honest claim stands", stands, _shown(stated))


async def double_payment(arena: Arena) -> None:
    """Settle the ended run again, then settle a fork whose contract pays the adversary more."""
    played = await arena.play("negotiation_priced", willing)
    episode, ledger = played.table["episode"], home().ledger
    before = ledger.lines(episode)
    for _ in range(2):
        await follow(played.run)
    again = ledger.lines(episode)
    await _fork(played)
    result = (await follow(played.run))["ledger"]
    forked = await arena.read(played.run.run, played.me)
    verdict, after = forked.settled["ledger"], ledger.lines(episode)
    arena.check("resuming an ended run pays nothing", again == before, _counts(before, again))
    arena.check(
        "a fork with another contract is counterfactual and unpaid",
        verdict == "counterfactual" and after == before,
        f"the fork is {verdict}; {_counts(before, after)}",
    )
    arena.check(
        "every result of a fork says that it is unpaid",
        result == (forked.run.result or {}).get("ledger") == "counterfactual",
        f"the command's result and the register's say {result}",
    )


async def one_payment(arena: Arena) -> None:
    """Make the same payment once in each of two episodes."""
    for _ in range(2):
        played = await arena.play("negotiation_priced", willing)
        is_signed(played)
        lines = home().ledger.lines(played.table["episode"])
        paid = [line.amount for line in lines if line.memo == "contract"]
        due = [t["amount"] for t in played.settled["transfers"]]
        seen = f"{len(paid)} payments: {', '.join(f'{x / MICRO:g}' for x in due) or 'none'}"
        arena.check("each episode pays what is due in it", bool(due) and paid == due, seen)


async def _fork(played: Played) -> None:
    """Fork the run just before its settlement, with a contract that pays the adversary more."""
    other, config, before = played.others[0], configure(played.run), None
    forged = put(Deal(clauses=(Pay(payer=other, payee=played.me, amount=1),)), played.me, 9)
    forged["accepted"] = list(played.table["agents"])
    async with open_workflow(played.run.graph) as app:
        async for snapshot in app.aget_state_history(config):
            if snapshot.next == ("settle",):
                before = snapshot.config
                break
        if before is None:
            raise NotReachedError("the run was never settled")
        contract = sign(forged, from_turn=1)
        await app.aupdate_state(before, {"contract": contract}, as_node="step")
        await app.ainvoke(None, config, context=RunConfig(), durability="sync")


def _counts(before: list[Line], after: list[Line]) -> str:
    return f"ledger: {len(before)} lines before, {len(after)} after"


def _claim(played: Played) -> tuple[Fraction, Fraction] | None:
    """Return the adversary's claim and its Shapley share, in fractions; None if no claim."""
    claimed = played.table.get("claims", {}).get(played.me)
    shares = played.settled["credit"]["shares"] or dict.fromkeys(played.table["agents"], 0)
    return (Fraction(claimed), Fraction(shares[played.me])) if claimed is not None else None


def _shown(stated: tuple[Fraction, Fraction] | None) -> str:
    return f"claimed {float(stated[0]):g}, recorded {float(stated[1]):g}" if stated else "no claim"
