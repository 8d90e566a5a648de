"""Whose turn it is, and where a page goes on: pure functions of the table."""

from shapley_coop.state import EvaluatedTable, Table, parties
from shapley_coop.state.groups import negotiators


def all_agents(evaluated: EvaluatedTable) -> list[str]:
    """All agents."""
    return list(evaluated.agents)


def bargaining(evaluated: EvaluatedTable) -> list[str]:
    """All who bargain: the delegates where agents are in groups, else all agents."""
    return negotiators(evaluated.table)


def unsigned(evaluated: EvaluatedTable) -> list[str]:
    """Who has to sign the offer that stands, and has not accepted it yet."""
    offer = evaluated.offer
    if offer is None:
        return []
    signing = parties(evaluated.table, evaluated.turn, offer["revision"])
    return [agent for agent in signing if agent not in offer["accepted"]]


def speaker(evaluated: EvaluatedTable) -> list[str]:
    """Whose turn it is to propose."""
    return [evaluated.table["speaker"]]


def listeners(evaluated: EvaluatedTable) -> list[str]:
    """All who bargain but the author of the offer that stands."""
    return [agent for agent in bargaining(evaluated) if agent != evaluated.table["speaker"]]


def able(evaluated: EvaluatedTable) -> list[str]:
    """All agents that have something to do this turn."""
    return [agent for agent in evaluated.agents if evaluated.legal(agent)]


def verdict_of(table: Table) -> str:
    """What the node before found."""
    return table["verdict"]


def offered(table: Table) -> str:
    """Whether the speaker put an offer."""
    return "offer" if table["offer"] else "pass"


def whether_over(table: Table) -> str:
    """Whether the game goes on, or an action has to be asked for again."""
    if table["verdict"] == "refused":
        return "refused"
    evaluated = EvaluatedTable(table)
    return "over" if evaluated.budget_spent or evaluated.over else "play_on"


def how_it_goes_on(table: Table) -> str:
    """The same, and whether the contract is due to be bargained over before the game goes on."""
    found = whether_over(table)
    return "due" if found == "play_on" and _renegotiation_is_due(EvaluatedTable(table)) else found


def _renegotiation_is_due(evaluated: EvaluatedTable) -> bool:
    """Whether the configured rule calls for a new bargaining after the latest turn."""
    latest = evaluated.record[-1]
    match evaluated.config.renegotiate.split():
        case ["every", turns]:
            return latest["turn"] % int(turns) == 0
        case ["on_breach"]:
            return any(
                breach.turn == latest["turn"] for breach in evaluated.signed.monitor.breaches
            )
        case ["on_shock"]:
            return any(effect.get("shock") for effect in latest.get("effects", []))
        case _:
            return False
