"""In which turns tasks are handed over so that nobody is left without one."""

from collections import Counter
from collections.abc import Mapping, Sequence

from shapley_coop.games.exchange.hands import hand
from shapley_coop.games.exchange.masks import members


def handed_over(
    names: Sequence[str], before: Mapping[str, int], after: Mapping[str, int]
) -> list[dict[str, str]]:
    """The joint actions by which everybody hands over what others are to have, one task a turn.

    In every turn as many as leave nobody without a task. There is always one: whoever holds two
    can give, and where all who still give hold one task each, they give in a ring.

    Args:
        names: of the tasks, the first that of the most significant bit.
        before: agent → the mask of what it holds.
        after: agent → the mask of what it is to hold; nobody nothing.
    """
    queues = _queues(names, before, after)
    held = {agent: mask.bit_count() for agent, mask in before.items()}
    left, holds = {giver: list(queue) for giver, queue in queues.items()}, dict(held)
    joint: list[dict[str, str]] = []
    while any(left.values()):
        giving = {giver: queue[0] for giver, queue in left.items() if queue}
        while bare := _bare(giving, holds):
            for giver in bare:
                del giving[giver]
        for giver, (_, taker) in giving.items():
            left[giver].pop(0)
            holds[giver] -= 1
            holds[taker] += 1
        joint.append({giver: hand(*given) for giver, given in giving.items()})
    return joint


def _queues(
    names: Sequence[str], before: Mapping[str, int], after: Mapping[str, int]
) -> dict[str, list[tuple[str, str]]]:
    """Giver → the tasks that it gives, and to whom."""
    given = {giver: mask & ~after[giver] for giver, mask in before.items()}
    taken = {taker: mask & ~before[taker] for taker, mask in after.items()}
    return {
        giver: [
            (names[i], taker)
            for taker, more in taken.items()
            if lost & more
            for i in members(lost & more, len(names))
        ]
        for giver, lost in given.items()
        if lost
    }


def _bare(giving: Mapping[str, tuple[str, str]], holds: Mapping[str, int]) -> list[str]:
    """Return who would be left without a task."""
    given = Counter(taker for _, taker in giving.values())
    return [giver for giver in giving if holds[giver] + given[giver] == 1]
