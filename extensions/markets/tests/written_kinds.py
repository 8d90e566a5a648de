"""The schemas of the files that people write for markets."""

from shapley_coop.extensions.markets.market import MarketFile
from tests.written_schemas import Kind, schema_of


def kinds() -> list[Kind]:
    """Every kind of file of markets that has a schema."""
    read_by, entries = "`coop run trade --set market=FILE`", {"agents": "Trader"}
    return [Kind("market", read_by, schema_of(MarketFile), entries)]
