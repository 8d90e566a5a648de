"""Draft: somebody who is no party writes down what was agreed, and is held to it."""

from collections.abc import Awaitable, Callable
from typing import Any

from langgraph.runtime import Runtime

from shapley_coop.deals import Deal, Fault, Message, Terms, in_force, put, read_deal
from shapley_coop.deals.analysis.certificate import certify
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.written.document import SECTIONS, changed_clauses, differences
from shapley_coop.prompts import fenced, fenced_lines, render
from shapley_coop.seats import Letter
from shapley_coop.state import (
    AgentOutput,
    AgentTurnState,
    TurnContext,
    TurnState,
    Utterance,
    ask_seats,
    config_of,
    entries,
    game_of,
    history,
)

SUMMARISER = "summariser"
"""The seat of who writes contracts; no agent can bear this name."""

Node = Callable[[TurnState, Runtime[TurnContext]], Awaitable[dict[str, Any]]]


def ask_outsider(letter: str) -> Node:
    """A node that asks the one outsider whose turn it is.

    Args:
        letter: the template that asks: contract_write or contract_judge.
    """

    async def ask_one(minds: TurnState, runtime: Runtime[TurnContext]) -> dict[str, Any]:
        return {"minds": await ask_seats(runtime.context, letter, minds["minds"], _letter)}

    return ask_one


def a_written_contract(moment: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """Prose in five sections that says what the clauses say, and nothing else.

    Where clauses were agreed, they stand as they are: a summary that adds, drops or changes one
    goes back with the difference. Where words were agreed, the clauses come with the prose; they
    are certified, and the parties will sign them. Words of which no clauses can be made are
    rejected, and the reason is heard by all.
    """
    offer = moment.table["offer"]
    assert offer is not None, "only what was agreed is written down"
    agreed, prose = Deal.model_validate(offer["deal"]), message.speech
    if message.reject is not None and not agreed.clauses:
        return {"act": "pass", "text": message.reject or prose or "", "label": "UNWRITTEN"}
    if not prose:
        return Fault("MPT", "Write the contract's five sections into one <s>…</s>.")
    deal = _clauses(moment, agreed, message)
    if isinstance(deal, Fault):
        return deal
    game = game_of(moment.table["settings"])
    terms = Terms(game.agents, game.actions, game.turns)
    if found := differences(prose, deal, terms):
        return Fault("DIFF", " ".join(found[:5]))
    written: AgentOutput = {"act": "propose", "text": prose}
    return written if agreed.clauses else {**written, "deal": deal.record()}


def say_written(moment: TurnContext, spoken: dict[str, AgentOutput]) -> dict[str, Any]:
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


def _clauses(moment: TurnContext, agreed: Deal, message: Message) -> Deal | Fault:
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
    terms, record = Enforcement.of(table["settings"]), table.get("record", [])
    found = certify(deal, facts, terms, record=record, standing=table.get("contract"))
    return found.faults[0] if found.faults else deal


def _letter(moment: TurnContext, who: str, letter: str, mind: AgentTurnState | None) -> Letter:
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
    system = render(
        "table",
        rules=game.rules(),
        facts=fenced(facts_of(game)),
        instructions=config_of(table["settings"]).instructions,
    )
    known = {**facts_of(game), **facts, "history": history(table)}
    return Letter(system=system, user=user, facts=known)
