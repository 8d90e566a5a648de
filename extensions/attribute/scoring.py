"""The user's score of a final state, and one-line errors that say what is wrong with it."""

import inspect
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from shapley_coop.extensions.attribute.canonical import fields_of

Score = Callable[..., Any]
"""A function of a final state, or of a final state and the input. It returns the score, or numbers
by name of which the first is the score; or an awaitable of either."""


def check_score(score: object) -> Score:
    """Return a score, if it can be called with a final state, or with this and an input.

    Raises:
        ValueError: the score is no function, or takes another number of arguments.
    """
    if not callable(score):
        is_nothing = score is None
        what = "no score" if is_nothing else f"the score is {score!r:.80}, which is no function"
        raise ValueError(f"{what}: give a function of the final state")
    try:
        signature = inspect.signature(score)
    except (TypeError, ValueError):  # a built-in function may not tell what it takes
        return score
    try:
        signature.bind(*range(_parameters(score)))
    except TypeError as error:
        raise ValueError(
            f"the score takes {signature}: a score takes the final state, or the final state and "
            f"the input ({error})"
        ) from None
    return score


async def scored(score: Score, state: Any, given: Any) -> dict[str, float]:
    """Return a final state's score as a dict name → number, whose first number is the score.

    Raises:
        ValueError: the score fails, or returns no finite number.
    """
    try:
        found = score(*(state, given)[: _parameters(score)])
        found = await found if inspect.isawaitable(found) else found
    except Exception as error:
        reason = " ".join(str(error).split())[:300]
        keys = ", ".join(fields_of(state)) if isinstance(error, KeyError) else ""
        has = f"; the final state has {keys}" if keys else ""
        raise ValueError(f"the score fails: {type(error).__name__}: {reason}{has}") from None
    named = found if isinstance(found, Mapping) else {"": found}
    if not named:
        raise ValueError("the score returned no number: a score returns a finite number")
    return {str(name or "score"): _number(x, str(name)) for name, x in named.items()}


def _number(found: Any, name: str) -> float:
    """Return the finite number that the scorer returned, alone or under `name` in a dict."""
    what = f"the text {found!r:.80}" if isinstance(found, str) else f"{found!r:.80}"
    try:
        number = float("nan") if isinstance(found, str) else float(found)
    except (TypeError, ValueError):
        number = float("nan")
    if not isfinite(number):
        named = f" for {name}" if name else ""
        raise ValueError(f"the score returned {what}{named}: a score returns a finite number")
    return number


def _parameters(score: Score) -> int:
    """Return the number of arguments for a scorer: 1 (the state) or 2 (the state and the input)."""
    try:
        taken = inspect.signature(score).parameters.values()
    except (TypeError, ValueError):
        return 1
    if any(p.kind is p.VAR_POSITIONAL for p in taken):
        return 2
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [p for p in taken if p.kind in places and p.default is p.empty]
    return max(1, min(2, len(needed)))
