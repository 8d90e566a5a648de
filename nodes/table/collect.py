"""The nodes that follow after all agents have answered, and publish the answers together."""

from collections.abc import Awaitable, Callable
from typing import Any

from shapley_coop.state.messages import Utterance, entries
from shapley_coop.state.table import Table
from shapley_coop.state.topics import Topic


async def collect_thoughts(table: Table) -> dict[str, Any]:
    """Publish nothing, because reasoning is private."""
    return {}


async def collect_plans(table: Table) -> dict[str, Any]:
    """Publish nothing, because plans are private, and begin round 2, the talk."""
    return {"round": 2}


def collect_claims(topic: Topic) -> Callable[[Table], Awaitable[dict[str, Any]]]:
    """Return a node that publishes all claims at once."""

    async def collect(table: Table) -> dict[str, Any]:
        claims = table.get("answers", {})
        made = [Utterance(agent, claims[agent]) for agent in table["agents"] if agent in claims]
        return {
            "claims": {one.by: one.said["part"] for one in made if "part" in one.said},
            "talk": entries(table, topic.name, made),
            "answers": None,
        }

    return collect
