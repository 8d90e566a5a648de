"""JSON Schemas of the files that people write, made from the models that read them.

A model also reads other spellings than its schema's own (`seeds: 0-9`, `'1/4'`); these are added,
so that an editor marks nothing that is read.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel, TypeAdapter

from shapley_coop import extension
from shapley_coop.deals.language.deal import Deal
from shapley_coop.evals.prices import Price, PriceList
from shapley_coop.extensions.sweeps.suite import Suite
from shapley_coop.games.matrix import MatrixParams
from shapley_coop.graphs import names
from shapley_coop.state.run_config import RunConfig

Schema = dict[str, Any]

DRAFT = "https://json-schema.org/draft/2020-12/schema"
EXACT = {"type": "string", "pattern": r"^\s*[+-]?\d+(\.\d+)?(\s*/\s*\d+)?\s*$"}
"""An exact number in words, as in '1/4'."""


class Kind(NamedTuple):
    """A kind of file: its name, what reads it, and its schema."""

    name: str
    read_by: str
    schema: Schema
    entries: Mapping[str, str] = {}  # of a key: the definition of what it holds by name


def kinds() -> list[Kind]:
    """Every kind of file of the core that has a schema."""
    prices = TypeAdapter[PriceList | dict[str, Price]](PriceList | dict[str, Price])
    return [
        Kind("game", "`coop run FILE`, and every command that takes a game", _game()),
        Kind("contract", "`coop contract check FILE`, `coop contract audit FILE`", _contract()),
        Kind("suite", "`coop sweep FILE`, `coop eval FILE`", _suite()),
        Kind(
            "config",
            "`RunConfig` in Python, a server's context, a suite's `base`",
            schema_of(RunConfig),
        ),
        Kind("prices", "`--prices FILE`, `COOP_PRICES`", _named(prices.json_schema())),
    ]


def schema_of(model: type[BaseModel]) -> Schema:
    return _named(model.model_json_schema())


def _named(schema: Schema) -> Schema:
    return {"$schema": DRAFT, **schema}


def _game() -> Schema:
    schema = schema_of(MatrixParams)
    paid = schema["$defs"]["Outcome"]["properties"]["pays"]["items"]
    paid["anyOf"].append(EXACT)
    schema["required"] = ["name", "agents", "actions", "payoffs"]
    return schema


def _config() -> Schema:
    """A run's configuration, in which a seat may be its model's name alone."""
    schema = schema_of(RunConfig)
    seats = schema["properties"]["seats"]
    seats["additionalProperties"] = {"anyOf": [{"type": "string"}, seats["additionalProperties"]]}
    return schema


def _suite() -> Schema:
    """A suite whose `base` knows the fields of a run's configuration, and the workflows."""
    schema, base = of_runs(Suite)
    schema["properties"]["base"] = {"description": "Settings of every run.", "default": {}, **base}
    return schema


def of_runs(model: type[BaseModel]) -> tuple[Schema, Schema]:
    """The schema of a file about many runs, with its spellings of seeds, and that of a run."""
    schema, config = schema_of(model), _config()
    seeds = schema["properties"]["seeds"]
    listed = {key: seeds.pop(key) for key in ("items", "minItems", "type")}
    written = {"type": "string", "pattern": r"^\d+(-\d+)?(,\s*\d+(-\d+)?)*$"}
    schema["properties"]["seeds"] = {**seeds, "anyOf": [listed, written, {"type": "integer"}]}
    schema["required"] = [key for key in schema.get("required", []) if key != "name"]
    schema["$defs"] = {**schema.get("$defs", {}), **config.get("$defs", {})}
    own = [name for name in names() if name not in extension.offered("workflows")]
    graph = {"anyOf": [{"enum": own}, {"type": "string"}], "description": "The workflow."}
    fields = {"graph": graph, **config["properties"]}
    return schema, {"type": "object", "properties": fields, "additionalProperties": False}


def _contract() -> Schema:
    """A deal as people and agents write it: `per` for `basis`, turns by name or as a range."""
    schema = schema_of(Deal)
    defs = schema["$defs"]
    defs["Pay"]["properties"]["per"] = defs["Pay"]["properties"].pop("basis")
    at = {"type": "integer", "minimum": 1}

    def turns(**properties: Schema) -> Schema:
        required = {"required": list(properties), "additionalProperties": False}
        return {"type": "object", "properties": properties, **required}

    listed = {"type": "array", "items": at, "minItems": 1}
    ways = [turns(turn=at), turns(turns=listed), turns(**{"from": at, "to": at})]
    defs["Turns"] = {"description": "At these turns, or from one to another.", "anyOf": ways}
    told = {"clauses": "What is agreed.", "drops": "Ids of payments and shares that end."}
    for key, words in told.items():
        schema["properties"][key]["description"] = words
    for name in ("Do", "Forbid", "Pay", "Share"):
        defs[name]["required"] = sorted({"kind", *defs[name].get("required", [])})
    return schema
