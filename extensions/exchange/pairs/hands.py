"""The order of hand-overs in which no agent is ever left without a task."""

from collections import Counter
from collections.abc import Mapping, Sequence

from shapley_coop.extensions.exchange.domain.hands import hand
from shapley_coop.extensions.exchange.domain.masks import members


def handed_over(
    names: Sequence[str], before: Mapping[str, int], after: Mapping[str, int]
) -> list[dict[str, str]]:
    """Return the joint actions that hand all tasks to their new holders, one task per giver a turn.

    In every turn all givers give, except givers that would be left without a task. Some giver can
    always give: one with two tasks or, if all hold one task each, givers in a ring.

    Args:
        names: the names of the tasks, most significant bit first.
        before: agent → the mask of its tasks before the hand-overs.
        after: agent → the mask of its tasks after the hand-overs; never empty.
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
    """Return giver → the tasks that it gives, each with its receiver."""
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
    """Return the givers that would be left without a task."""
    given = Counter(taker for _, taker in giving.values())
    return [giver for giver in giving if holds[giver] + given[giver] == 1]
