"""What a play is measured by beside its score: tokens, USD, seconds, the scorer's own numbers."""

import math
from collections.abc import Iterable, Sequence
from statistics import mean

import numpy as np

from shapley_coop.credit.values.shapley import shapley
from shapley_coop.evals.sweeps.prices import Prices
from shapley_coop.extensions.attribute.calls import Tokens, added
from shapley_coop.extensions.attribute.games import AppGame
from shapley_coop.extensions.attribute.stage import Played, Visit


def tokens_of(visits: Iterable[Visit]) -> Tokens | None:
    """Return what the models of several visits read and wrote; None where one does not tell."""
    total = Tokens()
    for visit in visits:
        if visit.models and not visit.tokens:
            return None
        total = added(total, visit.tokens)
    return total


def cost(tokens: Tokens | None, prices: Prices, part: float = 1.0) -> float | None:
    """USD; None where a model has no price, or does not tell its tokens."""
    if tokens is None or not prices.know(tokens):
        return None
    spent = (
        {"model": m, "input_tokens": read, "output_tokens": written}
        for m, (read, written) in tokens.items()
    )
    return part * prices.cost(spent)


def measured(played: Played, prices: Prices) -> dict[str, float]:
    """Tokens where all models tell them, seconds, USD where all have a price, the scorer's own."""
    tokens = tokens_of(played.visits)
    found = {"seconds": sum(visit.seconds for visit in played.visits), **played.metrics}
    if tokens is not None:
        found["tokens"] = float(sum(map(sum, tokens.values())))
    usd = cost(tokens, prices)
    return found if usd is None else {**found, "cost": usd}


def means(plays: Sequence[Played], prices: Prices) -> dict[str, float]:
    """The means of what several plays are measured by; of what all of them have."""
    rows = [measured(played, prices) for played in plays if not played.failure]
    shared = set(rows[0]).intersection(*rows) if rows else set()
    return {name: mean(row[name] for row in rows) for name in sorted(shared)}


def by_agent(game: AppGame, prices: Prices) -> dict[str, dict[str, float | None]]:
    """Return each agent's share of every further metric: a Shapley value where all was played.

    Elsewhere it is what would be missing without the agent, and None where that play failed.
    """
    n, known = len(game.agents), {m: means(plays, prices) for m, plays in game.plays.items()}
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
