"""The facts about the current offer in a letter, which depend on the letter's question.

Each public function maps (turn, agent) to facts as plain JSON, which `state.view` combines.
"""

from functools import lru_cache
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.deals.analysis.outlook_rows import NO_DEAL, breaks
from shapley_coop.deals.language.wire_form import wire_form
from shapley_coop.state.additions import show_additions
from shapley_coop.state.turn import TurnContext, in_turn_after
from shapley_coop.state.who import negotiators

Facts = dict[str, Any]

MOST_OUTLOOKS = 12
"""The most agents for which letters show all payoffs; for more, only the reader's payoffs."""

MOST_BREACHES = 6
"""The most agents for which every letter about an action computes all breaches: about 0.1 s."""


def standing_offer(turn: TurnContext, agent: str) -> Facts:
    """Return the fact `offer`, the current offer; {} if there is no offer."""
    return {"offer": {**_shown_offer(turn)}} if turn.evaluated.offer else {}


@lru_cache(maxsize=16)  # cached: agents that are asked in parallel read the same facts
def _shown_offer(turn: TurnContext) -> Facts:
    offer, deal = turn.evaluated.offer, turn.evaluated.offered
    assert offer is not None, "there is one to show"
    return {
        "revision": offer["revision"],
        "by": offer["by"],
        "hash": offer["hash"],
        "clauses": _written_facts(turn)["clauses"],
        "drops": list(deal.drops),
        "in_words": deal.text(),
    }


@lru_cache(maxsize=16)
def _written_facts(turn: TurnContext) -> Facts:
    return wire_form(turn.evaluated.offered)


def answered_offer(turn: TurnContext, agent: str) -> Facts:
    """Return the offer and its JSON, which a counter-offer can reuse, and perhaps its outlook."""
    facts, offer = standing_offer(turn, agent), turn.evaluated.offer
    facts |= show_additions(turn, agent)
    if offer and offer["deal"]["clauses"]:
        # If payoffs are private, each reader sees only what the offer would pay the reader.
        alone = turn.evaluated.game.analysis.ahead.foreseeable == "own"
        facts["offer"] |= _beside_offer(turn, agent if alone else "")
        computed = facts["offer"].get("outlook")
        if computed and len(turn.evaluated.agents) > MOST_OUTLOOKS:
            facts["offer"]["outlook"] = own_outlook(computed, agent)
    return facts


@lru_cache(maxsize=16)  # cached: agents that are asked in parallel mostly read the same facts
def _beside_offer(turn: TurnContext, viewer: str) -> Facts:
    """Return the offer's JSON and, if the setting `outlook` is on, what the offer would pay."""
    evaluated = turn.evaluated
    facts: Facts = {"wire": _written_facts(turn)}
    if evaluated.over:  # letters after the play teach no `per`, which is then "once"
        clauses = facts["wire"]["clauses"]
        bare = [{k: x for k, x in one.items() if (k, x) != ("per", "once")} for one in clauses]
        facts["wire"] = {**facts["wire"], "clauses": bare}
    if evaluated.config.outlook and not evaluated.over:
        computed = evaluated.outlook(evaluated.offered, viewer, turn.norms)
        shown = {"outlook": computed} if computed["rows"] else {}
        facts |= shown or {"why_no_outlook": computed.get("why_not", "")}
    return facts


def as_it_stands(turn: TurnContext, agent: str) -> Facts:
    """Return what the reader gets without an offer: under the contract in force, or with no deal.

    For a contract, rows also say what the reader gets if it breaks the contract, and what it gets
    if another agent does.
    """
    evaluated = turn.evaluated
    asked = evaluated.config.outlook and not evaluated.over and not turn.in_clauses
    if not asked or len(evaluated.agents) > MOST_OUTLOOKS:
        return {}
    alone = evaluated.game.analysis.ahead.foreseeable == "own"
    found = _without_offer(turn, agent if alone else "")
    rows = [
        {key: x for key, x in row.items() if key != "alike"}
        | {"payoffs": {agent: row["payoffs"][agent]}}
        for row in found.get("rows", [])
        if (row["if"] == NO_DEAL) != bool(evaluated.contract) and agent in row["payoffs"]
    ]
    signed = {"signed": True} if evaluated.contract else {}
    return {"as_it_stands": {**found, **signed, "rows": rows}} if rows else {}


def kept_or_broken(turn: TurnContext, agent: str) -> Facts:
    """Return what the reader gets if the contract is kept or broken; {} if computing it is slow.

    It is slow with dice, which need simulated plays, or with many agents, as many can breach.
    """
    evaluated = turn.evaluated
    quick = not evaluated.game.rolls_dice and len(evaluated.agents) <= MOST_BREACHES
    return as_it_stands(turn, agent) if evaluated.contract and quick else {}


@lru_cache(maxsize=16)  # cached: agents that are asked in parallel mostly read the same facts
def _without_offer(turn: TurnContext, viewer: str) -> Facts:
    found = turn.evaluated.outlook(None, viewer)
    assumed = ("assumes",) if turn.evaluated.contract else ()  # otherwise the row "no deal" says it
    return {key: found[key] for key in ("exact", "plays", "rows", *assumed) if key in found}


def own_outlook(found: dict[str, Any], agent: str) -> dict[str, Any]:
    """Return an agent's payoffs if all keep a deal, if the agent breaks it, and without the deal.

    Args:
        found: the payoffs in each case (`DealOutlook`), as plain JSON.
        agent: the reader.
    """
    kept: dict[str, Any] = {
        key: found[key] for key in ("exact", "plays", "assumes") if key in found
    }
    rows = (_own_row(row, agent) for row in found["rows"] if agent in row["payoffs"])
    return {**kept, "rows": [row for row in rows if row]}


def _own_row(row: dict[str, Any], agent: str) -> dict[str, Any]:
    """Return one case with this agent's payoff alone, or {} if another agent breaks the deal."""
    alike = row.get("alike", [])
    if row["who"] not in ("", agent) and agent not in alike:
        return {}
    payoff = row["payoffs"][row["who"] or agent]
    told = {key: x for key, x in row.items() if key != "alike"}
    named = {"who": agent, "if": breaks(agent)} if row["who"] else {}
    return {**told, **named, "payoffs": {agent: payoff}}


def answer_facts(turn: TurnContext, agent: str) -> Facts:
    """Return the agents that will answer an offer, in speaking order."""
    return {"answering": in_turn_after(negotiators(turn.table), turn.table["speaker"])}


def answer_order(turn: TurnContext, agent: str) -> Facts:
    """Return the order in which agents' counter-offers are considered, if several agents answer."""
    order = in_turn_after(negotiators(turn.table), turn.table["speaker"])
    return {"answer_order": order} if len(order) > 1 else {}


def still_to_speak(turn: TurnContext, agent: str) -> Facts:
    """Return the agents that speak after an agent in the last round of a talk; {} before it.

    `can_redraft` says whether all others do, so that a draft by the agent could still bind.
    """
    agents, last = turn.table["agents"], turn.table["round"] >= turn.evaluated.config.rounds
    after = agents[agents.index(agent) + 1 :]
    return {"speak_after": after, "can_redraft": len(after) == len(agents) - 1} if last else {}


def certified_offer(turn: TurnContext, agent: str) -> Facts:
    """Return the offer with a certificate, which says if agents gain by breaking the offer."""
    facts, offer = answered_offer(turn, agent), turn.evaluated.offer
    if offer and offer["deal"]["clauses"] and turn.evaluated.config.certificates:
        from shapley_coop.deals.analysis.certificate_words import as_record, in_words

        certificate = turn.evaluated.signed.certificate(turn.evaluated.offered)
        facts["offer"]["certificate"] = in_words(certificate)
        facts["offer"]["incentives"] = as_record(certificate)
    return facts


def paid_offer(turn: TurnContext, agent: str) -> Facts:
    """Return the offer with each agent's payoff under it, and its gain over no agreement."""
    facts, offer = answered_offer(turn, agent), turn.evaluated.offer
    assert offer is not None, "an answer is asked only to an offer"
    due = turn.evaluated.payoffs_under(turn.evaluated.offered)
    facts["offer"]["payoffs"] = {agent: plain(x) for agent, x in due.items()}
    signed = turn.evaluated.without_more()
    facts["offer"]["change"] = {agent: plain(x - signed[agent]) for agent, x in due.items()}
    return facts


def offered_words(turn: TurnContext, agent: str) -> Facts:
    """Return the agreed deal without its author and revision, for an outsider's letter."""
    offer = standing_offer(turn, agent).get("offer", {})
    kept = {key: offer[key] for key in ("clauses", "drops", "in_words") if key in offer}
    return {"offer": kept} if kept else {}
