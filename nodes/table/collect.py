"""The nodes that follow after all agents have answered, and publish the answers together."""

from collections.abc import Awaitable, Callable
from typing import Any

from shapley_coop.state.messages import Utterance, entries
from shapley_coop.state.table import Table
from shapley_coop.state.topics import Topic
from shapley_coop.state.turn import unsound


async def collect_thoughts(table: Table) -> dict[str, Any]:
    """Publish nothing; return the verdict `refused` if an answer was refused, or else `sound`."""
    return {"verdict": "refused" if unsound(table) else "sound"}


async def collect_plans(table: Table) -> dict[str, Any]:
    """Return the verdict of `collect_thoughts`; if it is `sound`, begin round 2, the talk."""
    found = await collect_thoughts(table)
    return {**found, "round": 2} if found["verdict"] == "sound" else found


def collect_claims(topic: Topic) -> Callable[[Table], Awaitable[dict[str, Any]]]:
    """Return a node that publishes all claims at once. Verdicts: `refused`, `sound`."""

    async def collect(table: Table) -> dict[str, Any]:
        if unsound(table):
            return {"verdict": "refused"}
        claims = table.get("answers", {})
        made = [Utterance(agent, claims[agent]) for agent in table["agents"] if agent in claims]
        return {
            "claims": {one.by: one.said["part"] for one in made if "part" in one.said},
            "talk": entries(table, topic.name, made),
            "answers": None,
            "verdict": "sound",
        }

    return collect
