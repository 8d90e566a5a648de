"""What an agent thinks that each contributed, where no values were computed."""

from collections.abc import Sequence
from fractions import Fraction

from shapley_coop.games import Turn


def perceived(
    me: str, agents: Sequence[str], record: Sequence[Turn], own: float
) -> dict[str, Fraction]:
    """Each agent's part of all amounts that the effects of the play credit to an agent.

    Args:
        me: who looks.
        agents: all of them.
        record: the play.
        own: how many times over I count my own.

    Returns:
        Agent → a part of one; empty where nothing was seen.
    """
    amounts = dict.fromkeys(agents, 0)
    for turn in record:
        for effect in turn.get("effects", []):
            if effect.get("agent") in amounts and effect.get("amount", 0) > 0:
                amounts[effect["agent"]] += int(effect["amount"])
    amounts[me] = round(own * amounts[me])
    total = sum(amounts.values())
    return {a: Fraction(x, total) for a, x in amounts.items()} if total else {}
