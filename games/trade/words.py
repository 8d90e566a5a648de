"""What is public of a market: the rules in words."""

from collections.abc import Iterator, Mapping, Sequence

from shapley_coop.games.gives import MANY, give
from shapley_coop.games.goods import Holdings
from shapley_coop.games.trade.market import Market

KEEP, ACCEPT, REFUSE = "keep", "accept", "refuse"

MOST_GROUPS = 8
"""Of many agents, those with the same holdings that are told together; of the rest their number."""

MOST_NAMED = 3


def rules_of(market: Market, rounds: int) -> str:
    """Who holds what, what can be done, and when it pays.

    Args:
        market: what is played.
        rounds: turns of trade.
    """
    turns = "In one turn" if rounds == 1 else f"In each of {rounds} turns"
    return "\n".join(
        [
            f"**Trade: {market.name}**. {market.about}".strip(),
            "",
            *_holdings(market.holds),
            *_options(market),
            "",
            f"{turns} an agent gives some of one good to another by hand "
            f"(`{give(1, market.goods[0], 'AGENT')}`), or does `{KEEP}`. A deal can have goods "
            f"change hands as well. {_closing(market)}",
            "",
            "What a good is worth differs from agent to agent and is private. At the end each "
            "is paid what its goods are worth to it, in the unit in which prices are paid.",
        ]
    )


def _closing(market: Market) -> str:
    """How a pool is divided, or that there is none."""
    if not market.pool:
        return "What nobody gives away stays with its owner."
    first, others = market.agents[0], _named(market.agents[1:])
    return (
        f"In one more turn {others} `{ACCEPT}` or `{REFUSE}`. Unless all of them accept, all "
        f"goods are lost. {first} holds them for all until then."
    )


def _holdings(holds: Holdings) -> Iterator[str]:
    """What each holds, a line each; of many agents, those with the same together."""
    if len(holds) <= MANY:
        yield from (f"- {agent} holds {_listed(own)}." for agent, own in holds.items())
        return
    groups: dict[str, list[str]] = {}
    for agent, own in holds.items():
        groups.setdefault(_listed(own), []).append(agent)
    ranked = sorted(groups.items(), key=lambda one: -len(one[1]))
    for what, agents in ranked[:MOST_GROUPS]:
        yield f"- {_named(agents)} {'each hold' if len(agents) > 1 else 'holds'} {what}."
    if rest := [agent for _, agents in ranked[MOST_GROUPS:] for agent in agents]:
        sums = {good: sum(holds[a][good] for a in rest) for good in holds[rest[0]]}
        yield f"- The {len(rest)} others hold {_listed(sums)} in all."


def _named(agents: Sequence[str]) -> str:
    """Agents by their names; of many the first, and how many there are."""
    if len(agents) <= MANY:
        return " and ".join(agents)
    return f"{len(agents)} agents ({', '.join(agents[:MOST_NAMED])}, …)"


def _options(market: Market) -> list[str]:
    """What each issue can come to, a line each."""
    last = market.agents[-1]
    return [
        f"- How much of {issue} {last} holds in the end is what is agreed on it: "
        + ", ".join(f"{n} is {option}" for n, option in enumerate(options))
        + "."
        for issue, options in market.issues.items()
    ]


def _listed(own: Mapping[str, int]) -> str:
    held = [f"{count} {good}" for good, count in own.items() if count]
    return " and ".join(held) if held else "nothing"
