"""The parameters of a game, with types, defaults and bounds, for help texts and documentation.

>>> from shapley_coop.games import load
>>> for one in parameters(load("volunteers"))[-2:]:
...     print(one.name, one.type, one.default, one.meaning)
benefit number 5 Each agent's reward if one volunteers.
cost number 2 The cost of volunteering.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from shapley_coop.games.game import Game
from shapley_coop.games.params import Params

TYPES = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
    "object": "mapping",
}
"""Type in a JSON schema → its name in texts."""


class Parameter(NamedTuple):
    """One parameter of a game.

    Attributes:
        name: the parameter's name in settings.
        type: the type of its values, in words.
        default: the value if a run sets none, as JSON.
        bounds: the allowed values, in words; empty if every value of the type is allowed.
        meaning: a description of the parameter.
    """

    name: str
    type: str
    default: Any
    bounds: str
    meaning: str


def parameters(game: Game) -> list[Parameter]:
    """Return all parameters of a game, with their values in this game as defaults."""
    shapes = game.Params.model_json_schema(by_alias=False)["properties"]
    values = game.params.model_dump(mode="json")
    return [
        Parameter(name, _type(shape), values[name], _bounds(shape), _description(game.Params, name))
        for name, shape in shapes.items()
    ]


def _description(kind: type[Params], name: str) -> str:
    """Return a field's description, from the nearest class that has one."""
    fields = (each.model_fields.get(name) for each in kind.__mro__ if issubclass(each, Params))
    return next((field.description for field in fields if field and field.description), "")


def _type(shape: Mapping[str, Any]) -> str:
    if "anyOf" in shape:
        found = dict.fromkeys(map(_type, shape["anyOf"]))
        return "number" if found.keys() == {"integer", "number"} else " or ".join(found)
    return TYPES[shape.get("type", "object")]  # a reference to another pydantic model


def _bounds(shape: Mapping[str, Any]) -> str:
    if "enum" in shape:
        return "one of " + ", ".join(map(str, shape["enum"]))
    # For an integer or a float, pydantic writes ge, le, gt, lt and not JSON schema's names.
    least, most = shape.get("minimum", shape.get("ge")), shape.get("maximum", shape.get("le"))
    above = shape.get("exclusiveMinimum", shape.get("gt"))
    below = shape.get("exclusiveMaximum", shape.get("lt"))
    told = [f"more than {above:,}"] if above is not None else []
    told += [f"less than {below:,}"] if below is not None else []
    told += _between(least, most, "")
    told += _between(shape.get("minItems"), shape.get("maxItems"), " entries")
    told += _between(shape.get("minLength"), shape.get("maxLength"), " characters")
    return ", ".join(told)


def _between(least: float | None, most: float | None, of: str) -> list[str]:
    if least is None:
        return [] if most is None else [f"at most {most:,}{of}"]
    if most is None:
        return [f"at least {least:,}{of}"]
    return [f"{least:,}{of}" if least == most else f"{least:,} to {most:,}{of}"]
