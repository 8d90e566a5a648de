"""The schemas of the files that people write for trials."""

from shapley_coop.extensions.trials.tournament.entry import Tournament
from tests.written_schemas import Kind, Schema, of_runs


def kinds() -> list[Kind]:
    """Every kind of file of trials that has a schema."""
    return [Kind("tournament", "`coop tournament FILE`", _tournament())]


def _tournament() -> Schema:
    """A tournament whose games know the same fields but for seats and seed, which it varies."""
    schema, base = of_runs(Tournament)
    properties, seats = schema["properties"], base["properties"].pop("seats")
    del base["properties"]["seed"]
    properties["seats"]["additionalProperties"] = seats["additionalProperties"]
    properties["games"]["additionalProperties"] = {**base, "required": ["game"]}
    properties["games"]["propertyNames"] = {"pattern": "^[a-z_][a-z0-9_]*$"}
    return schema
