"""The page on what agents are asked, made from the questions."""

from collections.abc import Iterator
from typing import Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from shapley_coop.seats.asked import find_question, names


def questions() -> Iterator[str]:
    """Yield the page's lines: each question, and the fields of answers."""
    yield from ("# Questions", "")
    yield "A letter's `ask` names its question. The answer is tagged text, or fields: of a model's"
    yield "schema, of a [callable](../seats.md#a-callable-of-ones-own), or of a person's form."
    yield "In `reason` the thought ends in three lines, which the letter shows: Collective payoff,"
    yield "Externality, Price. You can add [your own](../own-question.md)."
    yield from ("", "| question | asks an agent to | fields |", "|---|---|---|")
    rows: dict[str, None] = {}
    for question in filter(None, map(find_question, names())):
        how, fields = question.answer.written(), question.answer.model_fields
        rows |= dict.fromkeys(
            f"| `{name}` | {how[name].told() if name in how else ''} | {_meaning(field)} |"
            for name, field in fields.items()
        )
        title = question.title.removesuffix("?")
        yield f"| `{question.name}` | {title} | {', '.join(f'`{name}`' for name in fields)} |"
    yield from ("", "| field | in tagged text | meaning |", "|---|---|---|", *sorted(rows), "")


def _meaning(field: FieldInfo) -> str:
    """Return what a field is for, or the values that it can have."""
    if field.description:
        return " ".join(field.description.split()).replace("|", "\\|")
    if get_origin(field.annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(field.annotation))
    return "as the letter lists it"
