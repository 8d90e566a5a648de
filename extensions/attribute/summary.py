"""An attribution as a Markdown table; also a comparison of two versions of an app."""

from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from shapley_coop.extensions.attribute.result import AppCredit, norm_in_words
from shapley_coop.files import read_json
from shapley_coop.invalid import first_error


def read(file: Path) -> AppCredit:
    """Read the output of `coop attribute --json`.

    Raises:
        ValueError: the file cannot be read, or is not an attribution.
    """
    try:
        return TypeAdapter(AppCredit).validate_python(read_json(file, "an attribution"))
    except ValidationError as error:
        raise ValueError(
            f"{file}: is not from coop attribute --json: {first_error(error)}"
        ) from None


def markdown(after: AppCredit, before: AppCredit | None = None) -> str:
    """Return a table of the agents of both versions, with their numbers before and after."""
    heads = ["agent", "value", "tokens a run"]
    if before:
        heads = ["agent", "value before", "value after", "change", "tokens before", "tokens after"]
    agents = dict.fromkeys([*after.agents, *(before.agents if before else [])])
    lines = [
        f"**Score with all agents:** {_moved(_score(before) if before else None, _score(after))}",
        "",
    ]
    lines += [_line(heads), _line(["---", *["---:"] * (len(heads) - 1)])]
    lines += [_line(_cells(agent, after, before)) for agent in agents]
    notes = [*dict.fromkeys(after.notes)]
    if before and (before.value, before.inputs) != (after.value, after.inputs):
        was, now = (f"{norm_in_words(one.value)} of {one.inputs} inputs" for one in (before, after))
        notes.insert(0, f"not of the same: {was} before, {now} after")
    return "\n".join([*lines, "", *(f"- {_escaped(note)}" for note in notes)]).rstrip()


def _cells(agent: str, after: AppCredit, before: AppCredit | None) -> list[str]:
    if not before:
        return [agent, _number(_value(after, agent)), _number(_tokens(after, agent))]
    values = [_value(one, agent) for one in (before, after)]
    tokens = [_tokens(one, agent) for one in (before, after)]
    change = "—" if None in values else f"{values[1] - values[0]:+.4g}"  # type: ignore[operator]
    spans = [(one.interval or {}).get(agent) for one in (before, after)]
    if spans[0] and spans[1] and (spans[0][1] < spans[1][0] or spans[1][1] < spans[0][0]):
        change += " *"
    return [agent, *map(_number, values), change, *map(_number, tokens)]


def _score(told: AppCredit) -> float | None:
    return told.worth.get(",".join(told.agents))


def _value(told: AppCredit, agent: str) -> float | None:
    return (told.values or {}).get(agent)


def _tokens(told: AppCredit, agent: str) -> float | None:
    return told.spent[agent].tokens if agent in told.spent else None


def _moved(before: float | None, after: float | None) -> str:
    return f"{_number(before)} → {_number(after)}" if before is not None else _number(after)


def _number(x: float | None) -> str:
    return "—" if x is None else f"{x:.4g}"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(text: Any) -> str:
    """Escape text for a Markdown table: bars, tags, backticks and line breaks."""
    plain = " ".join(str(text).split())
    return plain.replace("|", "\\|").replace("<", "&lt;").replace("`", "\\`")
