"""A bounty divided by what an app's agents are worth, and bargained over by their owners."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import apportion, exact, plain
from shapley_coop.cli.git_report import payable

DECIMALS = 2
KIND = "contribution"


def divided(values: Mapping[str, float], bounty: str, currency: str) -> dict[str, Any]:
    """The bounty in proportion to the values; the amounts sum to it exactly.

    Nobody owes a bounty: an agent whose value is below 0 gets nothing, and is named.

    Raises:
        ValueError: the bounty is none that can be paid, or no agent adds to the score.
    """
    total, earned = payable(bounty, DECIMALS), _earned(values)
    if not any(earned.values()):
        raise ValueError("no agent adds to the score: there is nothing to pay a bounty for")
    cents = apportion(int(total * 10**DECIMALS), list(earned.values()))
    below = [agent for agent, value in values.items() if value < 0]
    return {
        "bounty": plain(total),
        "currency": currency,
        "basis": "value",
        "amounts": {
            agent: f"{n // 100}.{n % 100:02d}" for agent, n in zip(earned, cents, strict=True)
        },
        "notes": [f"{', '.join(below)}: the value is below 0, and nothing is paid"]
        if below
        else [],
    }


def agreed(found: dict[str, Any], values: Mapping[str, float], model: str) -> dict[str, Any]:
    """The same, after the agents' owners bargained: long-term Shapley over the finished work.

    Raises:
        ValueError: there is one agent.
    """
    from shapley_coop.cli.console import finish
    from shapley_coop.cli.options import seats_from
    from shapley_coop.graphs.running import play
    from shapley_coop.state import RunConfig

    if len(values) < 2:
        raise ValueError("one agent has nobody to bargain with: leave --bargain out")
    earned = {agent: plain(x.limit_denominator(10**6)) for agent, x in _earned(values).items()}
    params = {
        "artefacts": {agent: {KIND: x} for agent, x in earned.items()},
        "weights": {KIND: [100.0, 100.0]},
        "bounty": float(exact(found["bounty"])),
        "currency": found["currency"],
        "decimals": DECIMALS,
    }
    given = {"game": "delivered", "params": params, "seats": seats_from(model)}
    ended = finish(play("consent", RunConfig.model_validate(given)))
    notes = list(found["notes"])
    if ended["simulated"]:
        notes.append("The bargaining was a simulation: embedded agents spoke for the owners.")
    amounts = {agent: f"{amount:.2f}" for agent, amount in ended["payoffs"].items()}
    return {**found, "basis": "agreed", "amounts": amounts, "run": ended["run"], "notes": notes}


def _earned(values: Mapping[str, float]) -> dict[str, Fraction]:
    return {agent: max(Fraction(0), exact(value)) for agent, value in values.items()}
