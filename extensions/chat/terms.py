"""Checks, by code and not by a model, of which of a person's words a game expresses."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

WORD = re.compile(r"[^\W_]+(?:[.,'’]\d*[^\W_]+)*|[€$£¥₹₽₿%]")
NUMBER = re.compile(r"-?\d{1,3}(?:,\d{3})+(?!,?\d)|-?\d+(?:\.\d+)?")

FILLERS = {*"a also an and but just let now ok or please so the then with".split()}  # noqa: SIM905
"""Words that say nothing by themselves, so that no quote needs to hold them."""

_NEVER = re.compile(
    r"[€$£¥₹₽₿]|\d ?(?:k|m|bn)\b"
    r"|\b(?:after\w*|arbitrat\w*|before\w*|cancel\w*|cent|cents|compensat\w*|confidential\w*|court"
    r"|deadline\w*|deposit\w*|dollars?|due|escrow|euros?|exclusiv\w*|fees?|fine[ds]?|guarant\w*"
    r"|insur\w*|interest|judge\w*|later|liab\w*|nobody else|options?|penalt\w*|pounds?|refund\w*"
    r"|renew\w*|secret\w*|tax\w*|third\w*|until|veto\w*|warrant\w*|within|witness\w*"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tomorrow|week\w*|months?|years?|hours?)\b",
    re.IGNORECASE,
)
"""Terms that no table of payoffs expresses: times, currencies, numbers with a letter for zeros,
sanctions, vetoes, third parties."""


def dropped(said: Sequence[str], quotes: Sequence[str]) -> list[str]:
    """Return the parts of a person's texts that none of the model's quotes repeats."""
    given = [_words(quote) for quote in quotes]
    found = []
    for text in said:
        places = [*WORD.finditer(text)]
        words = [place[0].casefold() for place in places]
        held = {at for quote in given for at in _held(words, quote)}
        for is_held, part in groupby(range(len(words)), key=lambda at: at in held):
            run = list(part)
            if not is_held and {words[at] for at in run} - FILLERS:
                found.append(text[places[run[0]].start() : places[run[-1]].end()])
    return found


def _words(text: str) -> list[str]:
    return [word.casefold() for word in WORD.findall(text)]


def _held(words: Sequence[str], quote: Sequence[str]) -> Iterator[int]:
    """Yield the positions of the words that belong to an occurrence of the quote."""
    for start in range(len(words) - len(quote) + 1) if quote else ():
        if list(words[start : start + len(quote)]) == list(quote):
            yield from range(start, start + len(quote))


def not_expressed(quotes: Sequence[str], game: Mapping[str, Any]) -> list[str]:
    """Return the quotes that the game cannot express, although the model says that it does.

    Such a quote has a number that is no payoff, a name that is not in the game, or a term that no
    table of payoffs expresses.
    """
    told = {*_words(" ".join(_texts(game)))}
    numbers = {*_numbers(game), float(len(game["agents"]))}
    return [quote for quote in quotes if _is_strange(quote, told, numbers)]


def _is_strange(quote: str, told: set[str], numbers: set[float]) -> bool:
    names = re.findall(r"(?<=[\w,] )[A-ZÄÖÜ]\w+", quote)
    figures = _figures(quote)
    return bool(
        _NEVER.search(quote)
        or figures - {abs(one) for one in numbers}
        or {name.casefold() for name in names} - told
    )


def _figures(text: str) -> set[float]:
    """Return the numbers in a text without their signs; a comma before three digits is left out."""
    return {abs(float(one.replace(",", ""))) for one in NUMBER.findall(text)}


def invented(said: Sequence[str], game: Mapping[str, Any]) -> list[str]:
    """Return in words the agents and payoffs of a game that no text of the person names."""
    words = {word for text in said for word in _words(text)}
    known = {one for text in said for one in _figures(text)}
    agents = [agent for agent in game["agents"] if {*_words(agent)} - words]
    numbers = sorted({one for one in _numbers(game) if abs(one) not in known})
    return [
        *(f"the agent {agent}" for agent in agents),
        *([f"the payoffs {', '.join(f'{one:g}' for one in numbers)}"] if numbers else []),
    ]


def _texts(game: Mapping[str, Any]) -> Iterator[str]:
    yield from (game["name"], game["about"], *game["agents"])
    for actions in game["actions"].values():
        yield from actions


def _numbers(game: Mapping[str, Any]) -> set[float]:
    """Return the numbers of a game: its payoffs, and the numbers in names of actions."""
    told = [action for actions in game["actions"].values() for action in actions]
    named = {one for action in told for one in _figures(action)}
    return {float(x) for cell in game["payoffs"] for x in cell["pays"]} | named
