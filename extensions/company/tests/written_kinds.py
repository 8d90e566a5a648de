"""The schemas of the files that people write for a company."""

from shapley_coop.extensions.company.task import Task
from tests.written_schemas import Kind, schema_of


def kinds() -> list[Kind]:
    """Every kind of file of a company that has a schema."""
    return [Kind("task", "`coop run software_company --set task=FILE`", schema_of(Task))]
