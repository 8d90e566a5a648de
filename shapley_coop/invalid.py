"""Validation errors in one line of plain words: the place, the fault, and the correction.

>>> from pydantic import BaseModel, ValidationError
>>> class Lamp(BaseModel, extra="forbid"):
...     price: int
>>> try:
...     Lamp.model_validate({"price": "dear"})
... except ValidationError as error:
...     print(first_error(error, Lamp))
price: it has to be a whole number
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_args

from shapley_coop.files import did_you_mean

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError


class FirstError(NamedTuple):
    """The first error that pydantic found, in plain words; `str` gives one line.

    Attributes:
        where: the path to the wrong value, joined by dots; empty if the whole data is wrong.
        reason: what is wrong with the value.
        unknown: whether `where` names a field that the model does not have.
        instead: the field probably meant, or a list of possible fields; empty if there is no guess.
    """

    where: str
    reason: str
    unknown: bool
    instead: str = ""

    def __str__(self) -> str:
        if self.unknown:
            return f"there is no setting {self.where!r}{self.instead}"
        return f"{self.where}: {self.reason}" if self.where else self.reason


def first_error(
    error: "ValidationError", of: "type[BaseModel] | None" = None, beside: Iterable[str] = ()
) -> FirstError:
    """Return the first error of a validation; unknown fields come before missing ones.

    Args:
        error: the error raised.
        of: the model. Its fields' descriptions explain the correction, and their names are the
            suggestions for an unknown field.
        beside: names of fields that the data may have in addition to the model's fields.
    """
    every = error.errors(include_url=False, include_input=False)
    first = min(every, key=lambda one: one["type"] != "extra_forbidden")
    loc, kind = [str(part) for part in first["loc"]], first["type"]
    reason = _plain(kind, first["msg"], first.get("ctx", {}))
    if loc and loc[-1] in _TAGS:  # the type is a union, of which one member may be a model
        reason = reason.replace("whole number", "number") if len(every) > 1 else reason
        loc = loc[:-1]
    loc = [part for part in loc if not part.startswith(("list[", "dict["))]
    if kind == "string_pattern_mismatch":
        field = of.model_fields.get(loc[0]) if of and loc else None
        told = f". {field.description}" if field and field.description else ""
        reason = f"it is not written as it has to be{told}"
    unknown = kind == "extra_forbidden"
    known = [*_fields(of, loc), *(beside if len(loc) == 1 else ())] if unknown else []
    listed = f": there are {', '.join(known)}" if 0 < len(known) <= _MOST_LISTED else ""
    instead = did_you_mean(loc[-1], known) or listed if unknown else ""
    return FirstError(".".join(loc), reason, unknown, instead)


_TAGS = ("int", "float", "str", "bool")
_MOST_LISTED = 12
_FORMS = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "bool": "true or false",
    "string": "text",
    "list": "a list",
    **dict.fromkeys(("dict", "model", "mapping"), "a mapping, as in {key: value}"),
}
"""Beginning of pydantic's error type → the required form of the value."""


def _plain(kind: str, message: str, told: Mapping[str, Any]) -> str:
    """Return the fault of a value in words of this package, not pydantic's."""
    form = _FORMS.get(kind.partition("_")[0])
    if form and kind.endswith(("_type", "_parsing", "_from_float", "_number")):
        return f"it has to be {form}"
    if kind == "too_short":
        return f"it has {told['actual_length']}: give {told['min_length']} or more"
    if kind == "too_long":
        return f"it has {told['actual_length']}: give {told['max_length']} at most"
    if kind == "missing":
        return "it is missing"
    if kind == "extra_forbidden":
        return "there is no such setting"
    said = message.removeprefix("Value error, ").replace("Input should be", "it has to be")
    return said.replace("to be a valid ", "to be a ")


def _fields(model: "type[BaseModel] | None", loc: Iterable[str]) -> list[str]:
    """Return the fields that a model has at a path, which may lead through nested models."""
    for part in loc:
        if model and part in model.model_fields:
            model = _model_in(model.model_fields[part].annotation) or model
    return list(model.model_fields) if model else []


def _model_in(annotation: Any) -> "type[BaseModel] | None":
    """Return the model inside a type annotation, or None."""
    if hasattr(annotation, "model_fields"):
        return cast("type[BaseModel]", annotation)
    return next(filter(None, map(_model_in, get_args(annotation))), None)
