"""A workflow's own class of the run's configuration, whose schema names its games and agents.

The fields are those of `RunConfig`. Only the default game and the JSON schema differ; Studio, the
SDK and MCP show the schema.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from pydantic import GetJsonSchemaHandler, create_model
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema

from shapley_coop.games import Game, load, names
from shapley_coop.state.added_schema import inline
from shapley_coop.state.run_config import DEFAULT_SEAT, OUTSIDERS, RunConfig
from shapley_coop.state.table import Opening

MERGED = ("params", "seats", "personas")
"""The mapping fields that are merged key by key if both the context and the input give them."""


def config_for(game: str, plays: type[Game], nodes: Callable[[], Iterable[str]]) -> type[RunConfig]:
    """Return the class of the run's configuration for one workflow.

    Args:
        game: the default game.
        plays: the class of games that the workflow can play.
        nodes: a function that returns the nodes that write letters, which the schema lists.
    """
    default: Any = FieldInfo.merge_field_infos(RunConfig.model_fields["game"], default=game)

    class Config(RunConfig):
        __qualname__ = RunConfig.__qualname__  # JSON schemas show this name

        game: str | dict[str, Any] = default

        @classmethod
        def __get_pydantic_json_schema__(
            cls, core: CoreSchema, handler: GetJsonSchemaHandler
        ) -> dict[str, Any]:
            found = super().__get_pydantic_json_schema__(core, handler)
            fields = handler.resolve_ref_schema(found)["properties"]
            fields["game"] = _games(fields["game"], playable(plays))
            fields["seats"] = _seats(fields["seats"], agents_of(game))
            fields["instructions"]["langgraph_nodes"] = list(nodes())
            if len(playable(plays)) == 1:
                fields["params"] = _params(fields["params"], plays)
            return found

    return Config


def opening_for(config: type[RunConfig], kind: type[Opening] = Opening) -> type[Opening]:
    """Return the class of the input of a workflow (or of its first node) with this configuration.

    Args:
        config: the configuration class from `config_for`.
        kind: the base class, whose field `room` gets the type `config`.
    """
    room: Any = config | None
    field = Opening.model_fields["room"]
    made: type[Opening] = create_model(kind.__name__, __base__=kind, room=(room, field))
    return made


@cache
def playable(plays: type[Game]) -> list[str]:
    """Return the names of the games that are instances of a class, or have the class's `name`."""
    own = getattr(plays, "name", "")
    return [name for name in names() if name == own or isinstance(load(name), plays)]


@cache
def agents_of(game: str) -> tuple[str, ...]:
    """Return the agents of a named game with its default parameters."""
    return load(game).agents


def merge_settings(context: RunConfig | None, given: RunConfig | None) -> dict[str, Any]:
    """Return the settings of the run's context, overridden by those of the input's `room`.

    The context's parameters are dropped if the input names another game.
    """
    first, then = (one.model_dump(exclude_unset=True) if one else {} for one in (context, given))
    if then.get("game", first.get("game")) != first.get("game"):
        first.pop("params", None)
    found = _merge(first, then, MERGED)
    before, later = first.get("extensions", {}), then.get("extensions", {})
    if before and later:
        found["extensions"] = {**before, **later} | {
            name: _merge(before[name], later[name], later[name])
            for name in before.keys() & later.keys()
        }
    return found


def _merge(
    first: Mapping[str, Any], then: Mapping[str, Any], keys: Iterable[str]
) -> dict[str, Any]:
    """Return `first` updated by `then`; the mappings under `keys` are updated, not replaced."""
    both = [key for key in keys if isinstance(first.get(key), Mapping) and key in then]
    return {**first, **then, **{key: {**first[key], **then[key]} for key in both}}


def configuration(
    kind: type[RunConfig], context: RunConfig | None, given: RunConfig | None
) -> RunConfig:
    """Return the configuration of the context, overridden by the input's `room`.

    Args:
        kind: the configuration class from `config_for`.
        context: the run's context.
        given: the input's `room`.
    """
    if isinstance(given, kind) and not (context and context.model_fields_set):
        return given
    return kind.model_validate(merge_settings(context, given))


def with_params(config: RunConfig, game: str, params: Mapping[str, Any]) -> RunConfig:
    """Return a configuration with a workflow's default parameters for one game.

    Args:
        config: the run's configuration, whose parameters override the defaults.
        game: the name of that game; a configuration of another game stays unchanged.
        params: the workflow's default parameters for that game.
    """
    if not params or config.game != game:
        return config
    return config.model_copy(update={"params": {**params, **config.params}})


def check_kind(game: Game, plays: type[Game], workflow: str) -> None:
    """Check that a workflow can play a game.

    Raises:
        ValueError: the game is not of the class that the workflow plays.
    """
    if not isinstance(game, plays):
        known = playable(plays)
        those = "that game" if known == [plays.name] else f"one of {', '.join(known)}"
        named = game.called(game.params.model_dump())
        raise ValueError(f"{workflow} plays {plays.name}, not {named}: choose {those}")


def _games(field: Mapping[str, Any], known: list[str]) -> dict[str, Any]:
    named = {"type": "string", "enum": known, "title": "By name"}
    table = {"type": "object", "title": "A payoff table", "additionalProperties": True}
    return {**field, "anyOf": [named, table]}


def _seats(field: Mapping[str, Any], agents: Iterable[str]) -> dict[str, Any]:
    """Return a schema of `seats` with the default game's agents, the outsiders and '*' as names."""
    seat = field["additionalProperties"]
    return {**field, "properties": dict.fromkeys((*agents, *OUTSIDERS, DEFAULT_SEAT), seat)}


def _params(field: Mapping[str, Any], plays: type[Game]) -> dict[str, Any]:
    """Return the schema of the field `params`, with the parameters of a workflow's only game."""
    typed = plays.Params.model_json_schema()
    kept = {key: typed[key] for key in ("properties", "additionalProperties") if key in typed}
    return {**field, **inline(kept, typed.get("$defs", {}))}
