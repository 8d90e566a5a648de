"""What agents see, all of them and one: nothing else is between the table and a letter."""

import json
from functools import lru_cache
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.deals import Contract, Deal, Offer, contract_duties, in_force
from shapley_coop.deals.analysis.certificate import Certificate, certify, deposit_of
from shapley_coop.deals.analysis.certificate_words import in_words
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.enforcement import MEANS, Enforcement
from shapley_coop.games import Turn
from shapley_coop.state.recall import recalled
from shapley_coop.state.run_config import config_of, game_of
from shapley_coop.state.table import PublicMessage, Table
from shapley_coop.state.turn import TurnContext


def see(moment: TurnContext, agent: str, act: str) -> dict[str, Any]:
    """How things stand for `agent` when it is asked to `act`.

    Reads the table and nothing else: no agent's drafts, reasoning or secrets are in reach.
    """
    table = moment.table
    split = bool(table.get("accounts"))
    facts: dict[str, Any] = {"you": agent, "ask": act}
    if split:
        facts |= _money(table)
    else:
        facts |= _play(table, agent)
    if act != "act":
        facts |= {"round": table["round"], "rounds": config_of(table["settings"]).rounds}
    if offer := table.get("offer"):
        facts["offer"] = {
            "revision": offer["revision"],
            "by": offer["by"],
            "hash": offer["hash"],
            "clauses": offer["deal"]["clauses"],
            "in_words": Deal.model_validate(offer["deal"]).text(),
        }
    mode = Enforcement.of(table["settings"]).mode
    if act.startswith("contract_") or (table.get("contract") and mode != "enforced"):
        facts["enforcement"] = _enforcement(table)
    if act.startswith("contract_") and offer and offer["deal"]["clauses"]:
        facts["offer"]["certificate"] = in_words(_certificate(table, offer))
    if moment.norms and act not in ("act", "reason"):
        facts["norms"] = moment.norms
    return facts


def _certificate(table: Table, offer: Offer) -> Certificate:
    """What the offer would do to everybody's incentives, from this turn on."""
    return certify(
        Deal.model_validate(offer["deal"]),
        facts_of(game_of(table["settings"])),
        Enforcement.of(table["settings"]),
        record=table.get("record", []),
        standing=table.get("contract"),
    )


def _enforcement(table: Table) -> dict[str, str]:
    """How contracts are enforced at this table, and what each party has at stake."""
    terms, contract = Enforcement.of(table["settings"]), table.get("contract")
    deposit = "auto" if terms.deposit is None else plain(terms.held())
    if contract:
        facts, record = facts_of(game_of(table["settings"])), table.get("record", [])
        deposit = plain(deposit_of(contract, facts, terms, record))
    return {"mode": terms.mode, "means": MEANS[terms.mode], "deposit": deposit}


def history(table: Table) -> list[dict[str, Any]]:
    """All that was publicly said and done, a line each, in the order in which it happened.

    It is the same for everybody, and only grows, until what is long past is told in sum.
    """
    turns = {turn["turn"]: turn for turn in table.get("record", [])}
    lines: list[dict[str, Any]] = []
    next_turn = 1
    for said in table.get("talk", []):
        while next_turn < said["turn"]:
            lines.append(_did(turns[next_turn]))
            next_turn += 1
        lines.append(_said(said))
    lines += (_did(turns[n]) for n in range(next_turn, len(turns) + 1))
    return recalled(lines, config_of(table["settings"]).recall)


def _play(table: Table, agent: str) -> dict[str, Any]:
    """Where the game stands for one agent."""
    game, position = game_of(table["settings"]), table["position"]
    turn = len(table.get("record", [])) + 1
    contract = table.get("contract")
    facts: dict[str, Any] = {
        "turn": turn,
        "position": game.view(position, agent),
        "legal": game.legal(position, agent),
    }
    if contract:
        owed = contract_duties(contract, table.get("record", []), turn)
        facts["contract"] = _contract(contract)
        facts["duties"] = [
            {"clause": d.clause, "action": d.action, "forbidden": d.forbidden}
            for d in owed
            if d.agent == agent
        ]
    return facts


def _money(table: Table) -> dict[str, Any]:
    """What there is to divide, and what was worked out about it."""
    facts: dict[str, Any] = dict(table["accounts"] or {})
    if contract := table.get("contract"):
        facts["contract"] = _contract(contract)
    if claims := table.get("claims"):
        facts["claims"] = claims
    if computed := table.get("reckoning"):
        facts["computed"] = computed
    return facts


def _contract(contract: Contract) -> dict[str, Any]:
    return {
        "hash": contract["hash"],
        "clauses": [c.model_dump(mode="json") for c in in_force(contract).values()],
        "in_words": contract["text"],
    }


@lru_cache(maxsize=4096)
def _in_words(deal: str) -> str:
    """A deal's text; every letter shows the whole history, so each is rendered once."""
    return Deal.model_validate_json(deal).text()


def _did(turn: Turn) -> dict[str, Any]:
    line: dict[str, Any] = {
        "turn": turn["turn"],
        "did": turn["actions"],
        "earned": turn["rewards"],
    }
    if turn.get("pot"):
        line["pot"] = turn["pot"]
    if turn.get("effects"):
        line["effects"] = turn["effects"]
    return line


def _said(said: PublicMessage) -> dict[str, Any]:
    line: dict[str, Any] = {"id": said["id"], "by": said["by"], "does": said["act"]}
    if said["text"]:
        line["says"] = said["text"]
    if "about" in said:
        line["about"] = said["about"]
    if "puts" in said:
        line["revision"] = said["puts"]
    if "deal" in said:
        line["offers"] = _in_words(json.dumps(said["deal"]))
    return line
