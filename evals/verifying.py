"""The checks of `coop verify`, which recompute a run's result from its record and books."""

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from shapley_coop.deals.contract import in_force, rebuilt
from shapley_coop.deals.parties import bound_by
from shapley_coop.evals.rechecks import rechecks
from shapley_coop.evals.verifying_books import (
    changed_answers,
    changed_counts,
    changed_letters,
    changed_postings,
    changed_settings,
    differences,
    files_of,
    name_differences,
)
from shapley_coop.games.audits import audit
from shapley_coop.graphs import builder
from shapley_coop.graphs.finding import run_of
from shapley_coop.graphs.threads import askings_of, pointers_of, table_of
from shapley_coop.seats.answer import Answer
from shapley_coop.seats.asked import find_question
from shapley_coop.seats.records import BESIDE, TOOL, Entry
from shapley_coop.state.additions import find_additions
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.messages import agreed_offers
from shapley_coop.state.result import result
from shapley_coop.state.resuming import result_of
from shapley_coop.state.settings import config_of, game_of
from shapley_coop.state.settlement import decide
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.register import Run
from shapley_coop.state.table import PublicMessage, Table
from shapley_coop.state.tool_runs import compute_tool
from shapley_coop.state.turn import TurnContext


@dataclass(frozen=True)
class Check:
    """The outcome of recomputing one part of a run."""

    what: str
    sound: bool
    found: str


async def verify_run(run: str, kept: str = "") -> list[Check]:
    """Recompute everything that a run's result states, and compare its stored rows with their seal.

    Args:
        run: the run's name.
        kept: a head of the home's hash chain that was printed earlier, or "".

    Raises:
        ValueError: the run does not exist, or the run has not ended.
    """
    known = await run_of(run)
    ended = result_of(known)
    table = await table_of(known)
    return [
        _make_check(
            "settings", changed_settings(known, table), "the same in register, table, result"
        ),
        *(Check(what, True, found) for what, found in files_of(known)),
        *await verify_ended(known, ended, table),
        await asyncio.to_thread(_seals, known, table, kept),
    ]


async def verify_ended(known: Run, stated: Mapping[str, Any], table: Table) -> list[Check]:
    """Recompute everything that the result of an ended run states, from its checkpoints and books.

    Args:
        known: the run.
        stated: the run's result.
        table: the run's latest state.
    """
    entries = await asyncio.to_thread(lambda: [*home().journal.entries(table["episode"])])
    return [
        *await asyncio.to_thread(_recompute, known, stated, table),
        await asyncio.to_thread(_journal, table, entries),
        *await _tools(known, entries),
        await _commitments(known, table, entries),
    ]


def _recompute(known: Run, stated: Mapping[str, Any], table: Table) -> list[Check]:
    settled = {**decide(EvaluatedTable(table)), "ledger": (table["settlement"] or {})["ledger"]}
    again = result(known.run, known.graph, {**table, "settlement": settled})
    return [
        _play(table),
        *_audits(table),
        *_of_workflow(known, table),
        _contract(table),
        *_additions(known, table),
        _equal("contributions and Shapley values", again["credit"], stated["credit"]),
        _equal("transfers", again["transfers"], stated["transfers"]),
        _equal("payoffs", again["payoffs"], stated["payoffs"]),
        _result(again, stated),
        _ledger(table),
    ]


def _play(table: Table) -> Check:
    """Replay the recorded actions with the same random draws, and compare rewards and pots."""
    game, record = game_of(table["settings"]), table["record"]
    position = game.start()
    for turn, after in zip(record, game.analysis.replay(record), strict=True):
        if after.rewards != turn["rewards"] or (after.pot or 0) != turn.get("pot", 0):
            return Check("play", False, f"turn {turn['turn']} pays {after.rewards}")
        position = after.position
    if wrong := EvaluatedTable(table).signed.wrongly_handed():
        return Check("play", False, wrong)
    return Check("play", position == table["position"], f"{len(table['record'])} turns replayed")


def _audits(table: Table) -> list[Check]:
    """Check the record against the rules of play that extensions define for this game."""
    found = audit(game_of(table["settings"]), table["record"])
    return [_make_check(name, wrong, "played by the rule") for name, wrong in found]


def _of_workflow(known: Run, table: Table) -> Iterator[Check]:
    """Yield the checks that extensions make of their own workflows."""
    for one in rechecks(builder(known.graph).nodes):
        yield _make_check(one.name, one.wrong(table), one.sound)


def _contract(table: Table) -> Check:
    """Compare the contract and its amendments with the accepted offers in the talk."""
    contract = table.get("contract")
    if contract is None:
        return Check("contract", True, "none was signed before the play")
    chain = rebuilt(agreed_offers(table, "plan"))
    sound = bool(chain) and chain[-1] == contract
    bound = bound_by(in_force(contract).values(), table["agents"])
    sound = sound and set(contract["signatures"]) >= bound
    count = len(table["amendments"])
    who = "all" if set(contract["signatures"]) >= set(table["agents"]) else "all whom it binds"
    found = f"{contract['hash'][:12]}, signed by {who}, {count} amendments"
    return Check("contract", sound, found)


def _additions(known: Run, table: Table) -> Iterator[Check]:
    """Recompute extensions' additions to the run, such as signatures."""
    sealing = [one.sealed for one in rechecks(builder(known.graph).nodes) if one.sealed]
    sealed = sealing[0](table) if sealing else None
    for one in find_additions(config_of(table["settings"])):
        if found := one.addition.rechecked(one.settings, table, sealed):
            yield _make_check(*found)


def _result(again: Mapping[str, Any], before: Mapping[str, Any]) -> Check:
    """Compare the recomputed result with the stated result, except for timing."""
    return _equal("result", {**again, "timing": None}, {**before, "timing": None})


def _equal(what: str, again: Any, before: Any) -> Check:
    return _make_check(what, list(differences(before, again)), "recomputed, equal")


def _make_check(what: str, different: list[str], sound: str) -> Check:
    return Check(what, not different, name_differences(different) if different else sound)


def _ledger(table: Table) -> Check:
    settled = table["settlement"] or {}
    if settled["ledger"] == "counterfactual":
        return Check("ledger", True, "this branch is counterfactual and not paid")
    different = changed_postings(table)
    lines = home().ledger.lines(table["episode"])
    if sum(home().ledger.balances(table["episode"]).values()):
        different.append("the lines do not sum to zero")
    return _make_check("ledger", different, f"{len(lines)} lines, sums to zero")


def _journal(table: Table, every: list[Entry]) -> Check:
    """Compare letters with hashes, token counts with the journal, and public talk with answers."""
    entries = [entry for entry in every if entry.act not in BESIDE]
    spoken = {(e.agent, said) for e in entries for said in _published(e)}
    forged = [
        f"{said['id']} is in no answer of {said['by']}"
        for said in table.get("talk", [])
        if said["text"] and said["act"] != "pass" and not _was_said(said, spoken, entries)
    ]
    different = changed_letters(table, entries) + changed_counts(table, every) + forged
    found = f"{len(entries)} letters, hashes match, and every public message is in an answer"
    return _make_check("journal", different, found)


async def _commitments(run: Run, table: Table, entries: list[Entry]) -> Check:
    """Compare every answer with the hash that the run's checkpoints have of it."""
    answers = [entry for entry in entries if entry.act not in BESIDE]
    committed = await pointers_of(run, table["episode"])
    return _make_check(
        "commitments", changed_answers(answers, committed), f"{len(committed)} answers match"
    )


def _seals(run: Run, table: Table, kept: str) -> Check:
    """Compare the run's rows with the seal that the home's hash chain got when the run ended."""
    what, chain = "seals", home().chain
    if broken := chain.broken(kept):
        return Check(what, False, broken)
    if run.served:
        return Check(what, True, "none: a thread of LangGraph's server may be played on")
    try:
        changed = chain.changed(run.run, table, run.result or {})
    except LookupError:
        return Check(what, False, "its seal is missing")
    found = f"{', '.join(changed[:3])}: not as sealed" if changed else f"head {chain.head()}"
    return Check(what, not changed, found)


async def _tools(run: Run, entries: list[Entry]) -> list[Check]:
    """Recompute the results of tool calls; return no check if no tool was called."""
    told = [entry for entry in entries if entry.act == TOOL]
    if not told:
        return []
    askings = await askings_of(run)
    wrong = await asyncio.to_thread(lambda: [f for e in told if (f := _told_wrong(e, askings))])
    return [Check("tools", not wrong, "; ".join(wrong[:3]) or f"{len(told)} results recomputed")]


def _told_wrong(entry: Entry, askings: Mapping[str, TurnContext]) -> str:
    """Return the fault of a tool's result in the journal, or "" if the result is right."""
    asked = json.loads(entry.letter_text)
    turn = askings.get(asked["at"])
    if turn is None:
        return f"{entry.agent} asked {asked['tool']} at {asked['at']}, which was never played"
    now = compute_tool(turn, entry.agent, asked["tool"], asked["arguments"])
    if now == entry.answer.text:
        return ""
    return f"{asked['tool']} told {entry.agent} at {asked['at']}: {entry.answer.text[:60]!r}"


def _published(entry: Entry) -> Iterable[str | None]:
    """Return the forms in which the talk can hold an answer, by the class of its question."""
    question = find_question(entry.act)
    return (question.answer if question else Answer).published(entry.answer.text)


def _was_said(
    said: PublicMessage, spoken: set[tuple[str, str | None]], entries: list[Entry]
) -> bool:
    """Return whether a public message is in an answer of its author."""
    return (said["by"], said["text"]) in spoken or any(
        said["text"] in entry.answer.text for entry in entries if entry.agent == said["by"]
    )
