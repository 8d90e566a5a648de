"""Metrics of plays besides the score, namely tokens, USD, seconds, and the scorer's own numbers."""

import math
from collections.abc import Iterable, Sequence
from itertools import repeat
from statistics import mean

import numpy as np

from shapley_coop.credit.values.shapley import shapley
from shapley_coop.evals.prices import Prices
from shapley_coop.extensions.attribute.calls import Tokens, added
from shapley_coop.extensions.attribute.games import AppGame
from shapley_coop.extensions.attribute.stage import Played, Visit


def tokens_of(visits: Iterable[Visit], times: Iterable[int] = repeat(1)) -> Tokens | None:
    """Return the tokens that models read and wrote; None if a model does not report them.

    Args:
        visits: calls of nodes.
        times: how often each call counts.
    """
    total = Tokens()
    for took, n in zip((visit.took for visit in visits), times, strict=False):
        if took.models and not took.tokens:
            return None
        more = {model: (n * read, n * written) for model, (read, written) in took.tokens.items()}
        total = added(total, more)
    return total


def cost(tokens: Tokens | None, prices: Prices, part: float = 1.0) -> float | None:
    """Return the USD that tokens cost, times `part`; None if tokens or a price are unknown."""
    if tokens is None or not prices.know(tokens):
        return None
    spent = (
        {"model": m, "input_tokens": read, "output_tokens": written}
        for m, (read, written) in tokens.items()
    )
    return part * prices.cost(spent)


def measured(played: Played, prices: Prices) -> dict[str, float]:
    """Return a play's seconds, the scorer's further numbers, and tokens and USD if known."""
    tokens = tokens_of(played.visits)
    found = {"seconds": sum(visit.took.seconds for visit in played.visits), **played.metrics}
    if tokens is not None:
        found["tokens"] = float(sum(map(sum, tokens.values())))
    usd = cost(tokens, prices)
    return found if usd is None else {**found, "cost": usd}


def means(game: AppGame, plays: Sequence[Played]) -> dict[str, float]:
    """Return the mean of each metric that is known for all plays without a failure."""
    prices = game.stage.settings.prices
    rows = [measured(played, prices) for played in plays if not played.failure]
    shared = set(rows[0]).intersection(*rows) if rows else set()
    return {name: mean(row[name] for row in rows) for name in sorted(shared)}


def by_agent(game: AppGame) -> dict[str, dict[str, float | None]]:
    """Return metric → agent → share: Shapley values if every coalition's metric is known.

    Otherwise, shares are leave-one-out values, or None for an agent without a known value.
    """
    n, known = len(game.agents), {m: means(game, plays) for m, plays in game.plays.items()}
    found: dict[str, dict[str, float | None]] = {}
    for name in known.get(game.everyone, {}):
        worth = {mask: one.get(name, math.nan) for mask, one in known.items()}
        if len(worth) == 1 << n and all(map(math.isfinite, worth.values())):
            table = np.array([worth[mask] for mask in range(1 << n)])
            found[name] = dict(zip(game.agents, map(float, shapley(table)), strict=True))
            continue
        found[name] = {}
        for i, agent in enumerate(game.agents):
            missing = worth[game.everyone] - worth.get(game.everyone ^ 1 << i, math.nan)
            found[name][agent] = missing if math.isfinite(missing) else None
    return found
