"""Markets drawn by seed: barter, bargaining over a price, an ultimatum, several issues, a job."""

from collections.abc import Callable, Sequence
from typing import Any

from shapley_coop.extensions.markets.market import Market, MarketFile, market_of
from shapley_coop.games.dice import dice
from shapley_coop.games.params import GameError

GOODS = ("wood", "stone", "wool", "grain", "salt", "iron")
ISSUES = {"books": 3, "hats": 2, "balls": 1}
JOB = {
    "salary": ["3000", "3300", "3600", "4000"],
    "days at home": ["none", "two", "five"],
    "start": ["in May", "in June", "in July"],
}
COINS = 10
EACH = 4


def drawn(mode: str, agents: Sequence[str], seed: int) -> Market:
    """Return a market for these agents, with worths drawn by the seed.

    Raises:
        GameError: the mode does not allow this number of agents.
    """
    return market_of(MarketFile.model_validate(_MODES[mode](list(agents), seed)))


def _exchange(agents: list[str], seed: int) -> dict[str, Any]:
    """Return a barter market: each agent holds one good, and others may value the good more."""
    if len(agents) > len(GOODS):
        most = f"at most {len(GOODS)} agents"
        raise GameError(f"trade: exchange is for {most}: for more give a market file, market=FILE")
    goods = GOODS[: len(agents)]
    told = {}
    for i, agent in enumerate(agents):
        rng = dice(seed, 0, f"trade/{i}")
        worth: dict[str, Any] = {good: int(rng.integers(2, 10)) for good in goods}
        worth[goods[i]] = int(rng.integers(1, 6))
        told[agent] = {"holds": {goods[i]: EACH}, "worth": worth}
    return {
        "name": "resource exchange",
        "about": "Each holds a resource of which another may have more use.",
        "agents": told,
    }


def _price(agents: list[str], seed: int) -> dict[str, Any]:
    """Return a market of one seller and one buyer; about one pair in six has nothing to gain."""
    seller, buyer = _two(agents, "price")
    cost = int(dice(seed, 0, "trade/cost").integers(20, 61))
    worth = int(dice(seed, 0, "trade/worth").integers(40, 101))
    purse = worth + int(dice(seed, 0, "trade/purse").integers(0, 21))
    return {
        "name": "price bargaining",
        "about": f"{seller} has a lamp, and {buyer} would like to buy it.",
        "agents": {
            seller: {"holds": {"lamp": 1}, "worth": {"lamp": cost}, "purse": 0},
            buyer: {"worth": {"lamp": worth}, "purse": purse},
        },
    }


def _ultimatum(agents: list[str], seed: int) -> dict[str, Any]:
    """Return an ultimatum: the coins are lost unless the second agent accepts its part."""
    first, second = _two(agents, "ultimatum")
    least = int(dice(seed, 0, "trade/least").integers(0, 4))
    return {
        "name": "ultimatum",
        "about": f"{first} divides {COINS} coins, and {second} accepts or refuses its part.",
        "pool": True,
        "agents": {
            first: {"holds": {"coin": COINS}, "worth": {"coin": 1}},
            second: {"worth": {"coin": 1}, "otherwise": least},
        },
    }


def _issues(agents: list[str], seed: int) -> dict[str, Any]:
    """Return a pool of several goods; each agent values all of them together at 10."""
    told: dict[str, Any] = {}
    for i, agent in enumerate(agents):
        told[agent] = {"worth": dict(zip(ISSUES, _of_ten(seed, i), strict=True))}
    told[agents[0]]["holds"] = dict(ISSUES)
    return {
        "name": "several issues",
        "about": "Books, hats and balls are divided, and lost unless all accept.",
        "pool": True,
        "agents": told,
    }


def _options(agents: list[str], seed: int) -> dict[str, Any]:
    """Return a market for a job: two issues oppose the agents' interests, with unequal weights.
    On the third issue, the start of the job, the interests may agree."""
    told: dict[str, Any] = {}
    for i, agent in enumerate(_two(agents, "options")):
        rng, worth = dice(seed, 0, f"trade/{i}"), dict[str, dict[str, int]]()
        for issue, options in JOB.items():
            step, last = int(rng.integers(2, 13)), len(options) - 1
            up = bool(rng.integers(2)) if issue == "start" else i == 1
            worth[issue] = {x: step * (n if up else last - n) for n, x in enumerate(options)}
        told[agent] = {"worth": worth, "otherwise": int(rng.integers(0, 21))}
    about = f"{agents[0]} hires {agents[1]} if both agree on all issues."
    return {"name": "a job", "about": about, "issues": JOB, "agents": told}


def _of_ten(seed: int, i: int) -> tuple[int, int, int]:
    """Return an agent's worths of a book, a hat and a ball; all items together are worth 10."""
    many = tuple(ISSUES.values())
    options = [
        (book, hat, ball)
        for book in range(4)
        for hat in range(6)
        for ball in range(11)
        if book * many[0] + hat * many[1] + ball * many[2] == 10
    ]
    return options[int(dice(seed, 0, f"trade/{i}").integers(len(options)))]


def _two(agents: list[str], mode: str) -> list[str]:
    if len(agents) != 2:
        raise GameError(f"trade: {mode} is for two agents, not {len(agents)}")
    return agents


_MODES: dict[str, Callable[[list[str], int], dict[str, Any]]] = {
    "exchange": _exchange,
    "price": _price,
    "ultimatum": _ultimatum,
    "issues": _issues,
    "options": _options,
}
