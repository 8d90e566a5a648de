"""The schemas of the files that people write for task exchanges."""

from shapley_coop.extensions.exchange.domain.files import ScenarioFile
from tests.written_schemas import Kind, Schema, schema_of


def kinds() -> list[Kind]:
    """Every kind of file of task exchanges that has a schema."""
    return [Kind("scenario", "`coop run task_exchange --set scenario=FILE`", _scenario())]


def _scenario() -> Schema:
    schema = schema_of(ScenarioFile)
    plain = {"type": ["string", "number", "boolean"]}
    schema["$defs"]["AtomEntry"]["properties"]["arguments"]["additionalProperties"] = plain
    return schema
