"""The node that offers the split by counted work as offer 1, which has no author."""

from typing import Any

from shapley_coop.extensions.bounty.asking.counted import counted_split
from shapley_coop.games.params import COUNT
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.messages import Utterance, entries, offer_of
from shapley_coop.state.table import AgentOutput, Table


async def put_count(table: Table) -> dict[str, Any]:
    """Offer a `Share` clause in proportion to the agents' earnings; all agents then answer it."""
    deal = counted_split(EvaluatedTable(table))
    said: AgentOutput = {"act": "propose", "text": "", "deal": deal.record()}
    return {
        "talk": entries(table, "split", [Utterance(COUNT, said, puts=1)]),
        "offer": offer_of(said, COUNT, 1),
        "revision": 1,
        "speaker": COUNT,
    }
