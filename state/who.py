"""The choice of the agents to ask a question; each function here depends only on the table."""

from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.messages import parties
from shapley_coop.state.run_config import JUDGE, SUMMARISER
from shapley_coop.state.table import Table


def all_agents(evaluated: EvaluatedTable) -> list[str]:
    """Return all agents."""
    return list(evaluated.agents)


def negotiators(table: Table) -> list[str]:
    """Return the agents that bargain: those that a node chose, or else all agents."""
    return list(table.get("negotiators") or table["agents"])


def bargainers(evaluated: EvaluatedTable) -> list[str]:
    """Return all agents that bargain."""
    return negotiators(evaluated.table)


def awaited_signers(evaluated: EvaluatedTable) -> list[str]:
    """Return the agents that must sign the current offer and have not accepted it yet."""
    offer = evaluated.offer
    if offer is None:
        return []
    signing = parties(evaluated.table, evaluated.turn, offer["revision"])
    return [agent for agent in signing if agent not in offer["accepted"]]


def speaker(evaluated: EvaluatedTable) -> list[str]:
    """Return a list with the agent whose turn it is to speak."""
    return [evaluated.table["speaker"]]


def listeners(evaluated: EvaluatedTable) -> list[str]:
    """Return all agents that bargain, except the speaker."""
    return [agent for agent in bargainers(evaluated) if agent != evaluated.table["speaker"]]


def able(evaluated: EvaluatedTable) -> list[str]:
    """Return all agents that have a legal action this turn."""
    return [agent for agent in evaluated.agents if evaluated.legal(agent)]


def summariser(_: EvaluatedTable) -> list[str]:
    """Return the summariser, which is not a party."""
    return [SUMMARISER]


def judge(_: EvaluatedTable) -> list[str]:
    """Return the judge, which is not a party."""
    return [JUDGE]
