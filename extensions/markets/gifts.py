"""Planned gifts between agents, as clauses or duties to give by hand; the holdings after them.

>>> [duty.action for duty in in_turn([("Ann", "Ben", "hat", 2), ("Ann", "Ben", "ball", 1)], 1)]
['give 2 hat to Ben', 'give 1 ball to Ben']
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from shapley_coop.deals.language.clauses import Do, Give
from shapley_coop.deals.language.effects import Duty
from shapley_coop.deals.language.when import Turns
from shapley_coop.games.gives import give, parse_gift
from shapley_coop.games.goods import Gift as Due
from shapley_coop.games.goods import Holdings

Gift = tuple[str, str, str, int]
"""Giver, receiver, good and number of units."""


def gives(gifts: Sequence[Gift]) -> list[Give]:
    """Return the gifts as `Give` clauses, which the program executes."""
    return [Give(giver=a, receiver=b, good=good, quantity=n) for a, b, good, n in gifts]


def in_turn(gifts: Sequence[Gift], first: int) -> list[Do]:
    """Return the gifts as duties to give by hand, one per giver and turn, from turn `first`."""
    so_far: Counter[str] = Counter()
    duties = []
    for giver, receiver, good, count in gifts:
        at = first + so_far[giver]
        so_far[giver] += 1
        action = give(count, good, receiver)
        duties.append(Do(agent=giver, action=action, when=Turns(turns=(at, at))))
    return duties


def can_be_made(gifts: Sequence[Gift], turns: int, actions: Mapping[str, Sequence[str]]) -> bool:
    """Return whether the agents' actions allow all gifts by hand within the number of turns."""
    most = max(Counter(giver for giver, _, _, _ in gifts).values(), default=0)
    return most <= turns and all(give(n, good, b) in actions[a] for a, b, good, n in gifts)


def by_hand(duty: Duty) -> Gift | None:
    """Return the gift that a duty demands, or None if the duty demands no gift."""
    found = parse_gift(duty.action)
    return found and (duty.agent, found[2], found[1], found[0])


def after(
    holds: Holdings, gifts: Sequence[Gift], agents: Collection[str]
) -> dict[str, dict[str, int]]:
    """Return the holdings after gifts, each limited to the giver's holdings.

    Args:
        holds: the holdings of some agents; other givers are assumed to have enough.
        gifts: the gifts, in order.
        agents: all agents.
    """
    found = {agent: dict(own) for agent, own in holds.items()}
    for giver, receiver, good, count in gifts:
        if giver not in agents or receiver not in agents:
            continue  # "everyone", or a name that no agent has
        moved = count
        if giver in found:
            moved = min(count, found[giver].get(good, 0))
            found[giver][good] = found[giver].get(good, 0) - moved
        if receiver in found:
            found[receiver][good] = found[receiver].get(good, 0) + moved
    return found


def left_of(held: Mapping[str, int], due: Sequence[Due], agent: str) -> dict[str, int]:
    """Return good → how much an agent has left of what it holds, after the gifts that are due.

    >>> to_ben = {"clause": "c1", "giver": "Ann", "receiver": "Ben", "good": "hat", "quantity": 1}
    >>> left_of({"hat": 2}, [to_ben], "Ann"), left_of({"hat": 2}, [to_ben], "Ben")
    ({'hat': 1}, {'hat': 2})
    """
    left = Counter(held)
    for gift in due:
        sign = (gift["receiver"] == agent) - (gift["giver"] == agent)
        left[gift["good"]] += sign * gift["quantity"]
    return {good: max(0, min(count, left[good])) for good, count in held.items()}
