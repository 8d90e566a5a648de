"""The public description of a market: the rules in words, and the current holdings."""

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shapley_coop.extensions.markets.market import Market
from shapley_coop.games.gives import give
from shapley_coop.games.goods import Holdings
from shapley_coop.many import MANY

KEEP, ACCEPT, REFUSE = "keep", "accept", "refuse"

MOST_GROUPS = 8
"""The largest number of groups of equal holdings that the rules list; others are summed up."""

MOST_NAMED = 3

MOST_KNOWN = 16
"""With many agents, the largest number of groups in a view, and of agents named in all groups."""

Group = tuple[Mapping[str, int], list[int]]
"""The holdings of each agent of a group, and the agents' indices in speaking order."""


def grouped(holds: Holdings) -> list[Group]:
    """Return the agents grouped by equal holdings, the largest groups first."""
    groups: dict[tuple[int, ...], Group] = {}
    for at, own in enumerate(holds.values()):
        groups.setdefault(tuple(own.values()), (own, []))[1].append(at)
    return sorted(groups.values(), key=lambda one: -len(one[1]))


def told_groups(groups: Sequence[Group], agents: Sequence[str], me: str) -> list[dict[str, Any]]:
    """Return the groups as facts for a reader; each names members that follow it in speaking order.

    >>> groups = grouped({"A": {"hat": 1}, "B": {"hat": 0}, "C": {"hat": 1}})
    >>> for row in told_groups(groups, ["A", "B", "C"], "A"):
    ...     print(row)
    {'agents': 2, 'some': ['C', 'A'], 'each': {'hat': 1}}
    {'agents': 1, 'some': ['B'], 'each': {'hat': 0}}
    """
    own, known = agents.index(me), MOST_KNOWN // min(len(groups), MOST_KNOWN)
    rows: list[dict[str, Any]] = []
    for each, places in groups[:MOST_KNOWN]:
        next_ = bisect(places, own)
        some = [agents[at] for at in [*places[next_:], *places[:next_]][:known]]
        rows.append({"agents": len(places), "some": some, "each": dict(each)})
    if rest := groups[MOST_KNOWN:]:
        count = sum(len(places) for _, places in rest)
        rows.append({"agents": count, "some": [], "in_all": _summed(rest)})
    return rows


def _summed(groups: Sequence[Group]) -> dict[str, int]:
    return {good: sum(own[good] * len(at) for own, at in groups) for good in groups[0][0]}


def rules_of(market: Market, rounds: int, limited: bool) -> str:
    """Return the rules of a market in words: the holdings, the actions and the payoffs.

    Args:
        rounds: the number of turns of trade.
        limited: whether some agent's purse is limited.
    """
    turns = "Once, in turn 1," if rounds == 1 else f"In each of the turns 1 to {rounds}"
    return "\n".join(
        [
            f"**Trade: {market.name}**. {market.about}".strip(),
            "",
            *_holdings(market.holds),
            *_options(market),
            "",
            f"{turns} an agent gives some of one good to another by hand "
            f"(`{give(1, market.goods[0], 'AGENT')}`), or does `{KEEP}`. "
            f"{_closing(market, rounds + 1)}",
            "",
            "What a good is worth differs from agent to agent and is private. At the end each "
            "is paid what its goods are worth to it, in the unit in which prices are paid."
            + ("" if limited else " You can pay any amount."),
        ]
    )


def _closing(market: Market, last: int) -> str:
    """Return the rule for a pool's last turn; without a pool, the rule that owners keep goods."""
    if not market.pool:
        return "What nobody gives away stays with its owner."
    first, others = market.agents[0], _named(market.agents[1:])
    return (
        f"In turn {last}, the last, nobody gives by hand: {others} can `{ACCEPT}` or `{REFUSE}`. "
        "Unless all of them accept, all goods are lost, and each ends with what it has without a "
        f"deal. Before that turn {first} gives the others their parts, and keeps its own."
    )


def _holdings(holds: Holdings) -> Iterator[str]:
    """Yield one line on the holdings of each agent; with many agents, of each group."""
    if len(holds) <= MANY:
        yield from (f"- {agent} holds {_listed(own)}." for agent, own in holds.items())
        return
    names, groups = list(holds), grouped(holds)
    for own, places in groups[:MOST_GROUPS]:
        verb = "each hold" if len(places) > 1 else "holds"
        yield f"- {_named([names[at] for at in places])} {verb} {_listed(own)}."
    if rest := groups[MOST_GROUPS:]:
        count = sum(len(places) for _, places in rest)
        yield f"- The {count} others hold {_listed(_summed(rest))} in all."


def _named(agents: Sequence[str]) -> str:
    """Return agents by their names; with many agents, their number and the first names."""
    if len(agents) <= MANY:
        return " and ".join(agents)
    return f"{len(agents)} agents ({', '.join(agents[:MOST_NAMED])}, …)"


def _options(market: Market) -> list[str]:
    """Return one line on the options of each issue."""
    last = market.agents[-1]
    return [
        f"- How much of {issue} {last} holds in the end is what is agreed on it: "
        + ", ".join(f"{n} is {option}" for n, option in enumerate(options))
        + f", so that `{len(options) - 1} {issue}` means {options[-1]}."
        for issue, options in market.issues.items()
    ]


def _listed(own: Mapping[str, int]) -> str:
    held = [f"{count} {good}" for good, count in own.items() if count]
    return " and ".join(held) if held else "nothing"
