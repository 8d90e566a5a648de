"""In which turns tasks change hands, so that nobody is left without one in between."""

from collections import Counter
from collections.abc import Mapping


def handed_over(
    queues: Mapping[str, list[str]], held: Mapping[str, int], takers: Mapping[str, str]
) -> list[dict[str, str]]:
    """The joint actions by which everybody hands over what it has to, one task a turn.

    In every turn as many as leave nobody without a task. There is always one: whoever holds two
    can give, and where all who still give hold one task each, they give in a ring.

    Args:
        queues: giver → its hand-overs, in order. In the end everybody holds a task.
        held: agent → how many tasks it holds at first.
        takers: hand-over → who is given the task.
    """
    left, holds = {giver: list(queue) for giver, queue in queues.items()}, dict(held)
    joint: list[dict[str, str]] = []
    while any(left.values()):
        giving = {giver: queue[0] for giver, queue in left.items() if queue}
        while bare := _bare(giving, holds, takers):
            for giver in bare:
                del giving[giver]
        for giver, action in giving.items():
            left[giver].pop(0)
            holds[giver] -= 1
            holds[takers[action]] += 1
        joint.append(giving)
    return joint


def _bare(
    giving: Mapping[str, str], holds: Mapping[str, int], takers: Mapping[str, str]
) -> list[str]:
    """Who would be left without a task."""
    given = Counter(takers[action] for action in giving.values())
    return [giver for giver in giving if holds[giver] + given[giver] == 1]
