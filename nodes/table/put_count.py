"""Put the counted split on the table as the first offer: by nobody, and accepted by nobody yet."""

from typing import Any

from shapley_coop.deals import Deal, Share
from shapley_coop.games.params import COUNT
from shapley_coop.state import EvaluatedTable, Table, Utterance, entries, offer_of
from shapley_coop.state.table import AgentOutput


def put_count(table: Table) -> dict[str, Any]:
    """What each has earned, as the fractions of one share; all parties are asked about it."""
    evaluated = EvaluatedTable(table)
    parts = {agent: x / evaluated.total for agent, x in evaluated.earned.items()}
    deal = Deal(clauses=(Share(fractions=parts),))
    said: AgentOutput = {"act": "propose", "text": "", "deal": deal.record()}
    return {
        "talk": entries(table, "split", [Utterance(COUNT, said, puts=1)]),
        "offer": offer_of(said, COUNT, 1),
        "revision": 1,
        "speaker": COUNT,
    }
