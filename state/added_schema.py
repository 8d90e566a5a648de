"""The JSON schema of the fields that extensions add to the run's configuration."""

from collections.abc import Mapping
from typing import Any

from shapley_coop import extension


def added_properties() -> dict[str, Any]:
    """Return the name and schema of each field that an installed extension adds."""
    found: dict[str, Any] = {}
    for one in extension.installed().values():
        for name in one.additions:
            schema = extension.load("additions", name).settings.model_json_schema()
            known = inline(schema["properties"], schema.get("$defs", {}))
            found |= {field: known[field] for field in one.settings}
    return found


def inline(schema: Any, shapes: Mapping[str, Any]) -> Any:
    """Return a schema with each `$ref` replaced by a copy, so that other schemas can embed it."""
    if isinstance(schema, list):
        return [inline(one, shapes) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return inline(shapes[schema["$ref"].rpartition("/")[2]], shapes)
    return {key: inline(one, shapes) for key, one in schema.items()}
