"""Put the counted split on the table as the first offer: by nobody, and accepted by nobody yet."""

from typing import Any

from shapley_coop.games.params import COUNT
from shapley_coop.state import EvaluatedTable, Table, Utterance, entries, offer_of
from shapley_coop.state.consent import counted_split
from shapley_coop.state.table import AgentOutput


def put_count(table: Table) -> dict[str, Any]:
    """What each has earned, as the fractions of one share; all parties are asked about it."""
    deal = counted_split(EvaluatedTable(table))
    said: AgentOutput = {"act": "propose", "text": "", "deal": deal.record()}
    return {
        "talk": entries(table, "split", [Utterance(COUNT, said, puts=1)]),
        "offer": offer_of(said, COUNT, 1),
        "revision": 1,
        "speaker": COUNT,
    }
