"""The fields that route an app: the fields that its conditional edges read.

The fields are found in the code of the edges. No edge runs, because an edge may call a model.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from types import CodeType, NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from langgraph.channels import BinaryOperatorAggregate
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticUndefined

from shapley_coop.extensions.attribute.owncode import OwnCode
from shapley_coop.extensions.attribute.walking import branches_of, graphs_in, held, innermost

DEPTH = 3
"""The depth of calls to follow from an edge's function."""


@dataclass(frozen=True)
class Schema:
    """Facts about the fields of an app's states.

    Attributes:
        keys: all fields.
        closed: fields whose type is a Literal or an enumeration.
        read: fields that a conditional edge reads.
        optional: those of `read` that may be None, which the edge may test.
        ways: lower-case names of nodes, and texts that the edges return or compare with.
        added: fields with a reducer, which combines a new value with the old one.
        checked: the state classes that validate their fields (pydantic models).
    """

    keys: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    ways: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()
    checked: tuple[type[BaseModel], ...] = ()

    def steers(self, key: str, value: Any) -> bool:
        """Return whether a conditional edge may decide by this value of a field."""
        if isinstance(value, int | float):
            return not isinstance(value, bool) and key in self.read
        return isinstance(value, str) and key in self.read and value.casefold() in self.ways

    def fitting(self, key: str, emptied: Any, value: Any) -> Any:
        """Return the emptied value, or a substitute that the app's state accepts.

        Args:
            key: the field.
            emptied: the wanted value.
            value: the agent's own value, returned if no substitute is valid.
        """
        for schema in self.checked:
            if key in schema.model_fields:
                return fitting(schema, key, emptied, value)
        return emptied


def fitting(schema: type[BaseModel], key: str, emptied: Any, value: Any) -> Any:
    """Return the first of `emptied`, the default, placeholders and `value` that is valid."""
    field = schema.model_fields[key]
    default = PydanticUndefined if field.default_factory else field.default
    least: list[Any] = [None]
    if isinstance(value, str):
        least.append("-")
    elif isinstance(value, int | float):
        least += [type(value)(1), type(value)(-1)]
    for one in (emptied, default, *least):
        if one is not PydanticUndefined and _takes(schema, key, one):
            return one
    return value


def _takes(schema: type[BaseModel], key: str, value: Any) -> bool:
    try:
        schema.__pydantic_validator__.validate_assignment(schema.model_construct(), key, value)
    except ValidationError as error:
        return all(key not in one["loc"] for one in error.errors())
    except Exception:  # a validator may need the whole state, so assume it accepts
        return True
    return True


def schema_of(graph: Any, nodes: Collection[str], code: OwnCode) -> Schema:
    """Return the schema of an app's graph and its subgraphs.

    Args:
        graph: the app's graph.
        nodes: paths of the nodes.
        code: the app's own code; only its functions are read.
    """
    read, ways, added, closed, keys = set[str](), set(nodes), set[str](), set[str](), set[str]()
    optional = set[str]()
    checked: dict[type[BaseModel], None] = {}
    for one in (g for g in graphs_in(graph) if isinstance(g, CompiledStateGraph)):
        schemas = one.builder.schemas
        own = {key for of in schemas.values() for key in of}
        for branch in branches_of(one):
            names = set(_names(branch.path, code))
            read |= own & names
            ways |= {*names, *map(str, branch.ends or ())}
        kinds = one.channels.items()
        added |= {key for key, of in kinds if isinstance(of, BinaryOperatorAggregate)}
        hints = [pair for schema in schemas for pair in _hints(schema).items()]
        closed |= {key for key, hint in hints if _is_choice(hint)}
        optional |= {key for key, hint in hints if NoneType in get_args(hint)}
        checked |= {s: None for s in schemas if _is_checked(s)}
        keys |= own
    return Schema(
        keys=frozenset(keys),
        closed=frozenset(closed),
        read=frozenset(read),
        optional=frozenset(read & optional),
        ways=frozenset(way.casefold() for way in ways),
        added=frozenset(added),
        checked=tuple(checked),
    )


def _hints(schema: Any) -> dict[str, Any]:
    """Return the types of a state's fields."""
    try:
        return get_type_hints(schema)
    except (NameError, TypeError):
        return dict(getattr(schema, "__annotations__", {}))


def _is_choice(hint: Any) -> bool:
    if get_origin(hint) is Literal or (isinstance(hint, type) and issubclass(hint, Enum)):
        return True
    inner = [part for part in get_args(hint) if part is not type(None)]
    return any(_is_choice(part) for part in inner if not isinstance(part, str | int))


def _is_checked(schema: Any) -> bool:
    return isinstance(schema, type) and issubclass(schema, BaseModel)


def _names(runnable: Any, own: OwnCode) -> Iterator[str]:
    """Yield the names and texts in a runnable's function and in the functions that it calls."""
    for way in ("func", "afunc"):
        if (function := getattr(runnable, way, None)) is not None:
            yield from _names_in(function, own, DEPTH)


def _names_in(function: Any, own: OwnCode, depth: int) -> Iterator[str]:
    function = innermost(function)
    if not hasattr(function, "__code__"):
        function = vars(type(function)).get("__call__")
    code = getattr(function, "__code__", None)
    if code is None or depth == 0:
        return
    known = getattr(function, "__globals__", {})
    if not own.has(str(known.get("__name__", "")), code.co_filename):
        return
    codes = list(_codes(code))
    named = [name for one in codes for name in one.co_names]
    yield from named
    yield from (text for one in codes for part in one.co_consts for text in _texts(part))
    for other in [*(known.get(name) for name in named), *held(function)]:
        yield from _texts(other)
        if hasattr(other, "__code__"):
            yield from _names_in(other, own, depth - 1)


def _texts(value: Any) -> Iterator[str]:
    """Yield the value if it is a text, or the texts of a collection or an enumeration."""
    if isinstance(value, type) and issubclass(value, Enum):
        value = [member.value for member in value]
    several = value if isinstance(value, Mapping | list | tuple | set | frozenset) else [value]
    yield from (one for one in several if isinstance(one, str))


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a function's code and the code of the functions nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
