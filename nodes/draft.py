"""Draft: somebody who is no party writes down what was agreed, and is held to it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from deals import Deal, Fault, Message, Terms, in_force, put, read_deal
from deals.certificate import certify
from deals.document import SECTIONS, changed_clauses, differences
from deals.enforcement import Enforcement
from deals.stage import facts_of
from prompts import fenced, fenced_lines, render
from seats import Letter, Question, Seat
from seats import ask as ask_seat
from state import (
    Mind,
    Minds,
    Moment,
    Spoken,
    Utterance,
    entries,
    game_of,
    history,
    home,
    new_spent,
    pending,
    room_of,
)

SUMMARISER = "summariser"
"""The seat of who writes contracts; no agent can bear this name."""

IMPARTIAL = Seat(model="embedded:impartial")
"""Who writes and judges where the room gives nobody."""

Node = Callable[[Minds, Runtime[Moment]], Awaitable[dict[str, Any]]]


def ask_outsider(letter: str) -> Node:
    """A node that asks the one outsider whose turn it is.

    Args:
        letter: the template that asks: contract_write or contract_judge.
    """

    async def ask_one(minds: Minds, runtime: Runtime[Moment]) -> dict[str, Any]:
        moment = runtime.context
        (who,) = pending(minds["minds"], moment.asked)
        return {"minds": {who: await _ask(moment, letter, who, minds["minds"].get(who))}}

    return ask_one


def a_written_contract(moment: Moment, agent: str, message: Message) -> Spoken | Fault:
    """Prose in five sections that says what the clauses say, and nothing else.

    Where clauses were agreed, they stand as they are: a summary that adds, drops or changes one
    goes back with the difference. Where words were agreed, the clauses come with the prose; they
    are certified, and the parties will sign them.
    """
    offer = moment.table["offer"]
    assert offer is not None, "only what was agreed is written down"
    agreed, prose = Deal.model_validate(offer["deal"]), message.speech
    if not prose:
        return Fault("MPT", "Write the contract's five sections into one <s>…</s>.")
    deal = _clauses(moment, agreed, message)
    if isinstance(deal, Fault):
        return deal
    game = game_of(moment.table["settings"])
    terms = Terms(game.agents, game.actions, game.turns)
    if found := differences(prose, deal, terms):
        return Fault("DIFF", " ".join(found[:5]))
    written: Spoken = {"act": "propose", "text": prose}
    return written if agreed.clauses else {**written, "deal": deal.record()}


def say_written(moment: Moment, spoken: dict[str, Spoken]) -> dict[str, Any]:
    """The written contract is heard by all; clauses drafted from words wait to be signed.

    Verdicts: `written` (what was accepted is a contract already), `to_sign`, and `unwritten`
    (words alone, of which no contract came).
    """
    said, table = spoken[SUMMARISER], moment.table
    offer = table["offer"]
    assert offer is not None, "only what was agreed is written down"
    topic, agreed = "contract", bool(offer["deal"]["clauses"])
    if agreed:
        utterance = Utterance(SUMMARISER, said, about=offer["revision"])
        return {"talk": entries(table, topic, [utterance]), "verdict": "written"}
    if said["act"] != "propose":
        utterance = Utterance(SUMMARISER, said)
        return {
            "talk": entries(table, topic, [utterance]),
            "offer": None,
            "verdict": "unwritten",
        }
    revision = table["revision"] + 1
    utterance = Utterance(SUMMARISER, said, puts=revision)
    return {
        "talk": entries(table, moment.topic.name, [utterance]),
        "offer": put(Deal.model_validate(said["deal"]), SUMMARISER, revision),
        "revision": revision,
        "verdict": "to_sign",
    }


def _clauses(moment: Moment, agreed: Deal, message: Message) -> Deal | Fault:
    """The clauses that the prose is about."""
    if message.proposal is None:
        if agreed.clauses:
            return agreed
        return Fault("MPT", "The talk was in words: draft its clauses in one <PROPOSAL>.")
    deal = read_deal(message.proposal)
    if isinstance(deal, Fault):
        return deal
    if agreed.clauses:
        changed = changed_clauses(agreed, deal)
        return Fault("DIFF", " ".join(changed[:5])) if changed else agreed
    table = moment.table
    facts = facts_of(game_of(table["settings"]))
    found = certify(deal, facts, Enforcement.of(table["settings"]), record=table.get("record", []))
    return found.faults[0] if found.faults else deal


async def _ask(moment: Moment, letter: str, who: str, mind: Mind | None) -> Mind:
    table = moment.table
    room = room_of(table["settings"])
    # The first use opens a database, which must not hold up the event loop.
    journal = await asyncio.to_thread(lambda: home().journal)
    seat = room.seats.get(who, IMPARTIAL)
    attempt = mind["attempt"] + 1 if mind else 1
    question = Question(
        episode=table["episode"],
        agent=who,
        act=letter,
        letter=_letter(moment, letter, who, mind),
        attempt=attempt,
        why=mind["fault"]["label"] if mind and mind["fault"] else "",
        trace=_trace(moment, letter, who, seat),
    )
    entry, _ = await ask_seat(seat, room.seed, question, journal)
    answer = entry.answer
    cost = new_spent(input_tokens=answer.input_tokens, output_tokens=answer.output_tokens)
    before = mind["spent"] if mind else {}
    return {
        "draft": answer.text,
        "cut": answer.cut,
        "pointer": entry.pointer(),
        "attempt": attempt,
        "fault": mind["fault"] if mind else None,
        "spent": {key: before.get(key, 0) + n for key, n in cost.items()},
    }


def _letter(moment: Moment, letter: str, who: str, mind: Mind | None) -> Letter:
    """What an outsider is shown: the public table, and no agent's view of the game."""
    table, game = moment.table, game_of(moment.table["settings"])
    fault = mind["fault"] if mind else None
    facts: dict[str, Any] = {"you": who, "ask": letter, "parties": list(game.agents)}
    if offer := table.get("offer"):
        deal = Deal.model_validate(offer["deal"])
        facts["offer"] = {"clauses": offer["deal"]["clauses"], "in_words": deal.text()}
    if contract := table.get("contract"):
        clauses = in_force(contract)
        facts["contract"] = {
            "clauses": [clause.model_dump(mode="json") for clause in clauses.values()],
            "in_words": contract["text"],
        }
    if fault:
        facts["fault"] = fault
    user = render(
        "letter",
        persona=render("contract_outsider", you=who),
        history=fenced_lines(history(table)),
        ask=render(letter, sections=SECTIONS, drafted=bool(facts.get("offer", {}).get("clauses"))),
        fault=fault,
        facts=fenced(facts),
    )
    return Letter(
        system=render("table", rules=game.rules(), facts=fenced(facts_of(game))), user=user
    )


def _trace(moment: Moment, letter: str, who: str, seat: Seat) -> RunnableConfig:
    return {
        "run_name": f"{who}.{letter}",
        "tags": [letter, *(["simulated"] if seat.simulated else [])],
        "metadata": {
            "agent": who,
            "act": letter,
            "phase": moment.topic.phase,
            "episode": moment.table["episode"],
            "model": seat.model,
            "simulated": seat.simulated,
        },
    }
