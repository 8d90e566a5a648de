"""The division of a bounty by the agents' values, and the bargaining of their owners."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import apportion, exact, plain
from shapley_coop.currencies import decimals_of
from shapley_coop.extensions.bounty.account import shown_amount
from shapley_coop.extensions.bounty.consent import consent, consent_words, is_agreed, payoffs_of
from shapley_coop.extensions.bounty.once import begun, paid_before, still_asked, went_on
from shapley_coop.extensions.bounty.report import agreed_amounts, payable

KIND = "contribution"


def divided(values: Mapping[str, float], bounty: str, currency: str) -> dict[str, Any]:
    """Divide the bounty in proportion to the values; the amounts sum to the bounty exactly.

    An agent with a negative value gets nothing, pays nothing, and is named in a note.

    Raises:
        ValueError: the bounty is not a payable amount, or no agent's value is above 0.
    """
    decimals, earned = decimals_of(currency), _earned(values)
    total = payable(bounty, decimals)
    units = apportion(int(total * 10**decimals), list(earned.values()))
    below = [agent for agent, value in values.items() if value < 0]
    return {
        "bounty": plain(total),
        "currency": currency,
        "basis": "value",
        "amounts": {
            agent: shown_amount(n, decimals) for agent, n in zip(earned, units, strict=True)
        },
        "notes": [f"{', '.join(below)}: the value is below 0, and nothing is paid"]
        if below
        else [],
    }


def agreed(
    found: dict[str, Any], values: Mapping[str, float], model: str, work: str
) -> dict[str, Any]:
    """Let the owners bargain; return the division with their consent and the final amounts.

    Args:
        found: the bounty divided by value.
        values: the agents' values.
        model: the seat that answers for the owners; if people answer, the run may wait for them.
        work: an identifier of the work that the bounty pays for.

    Raises:
        ValueError: there is only one agent, or the bounty was divided on other terms before.
    """
    from shapley_coop.cli.console import finish
    from shapley_coop.cli.options import seats_from

    if len(values) < 2:
        raise ValueError("a single agent has nobody to bargain with: leave out --bargain")
    seats = seats_from(model)
    run = begun(_params(found, values), seats, 0, 0, work)
    before = paid_before(run)
    ended, waiting = finish(went_on(run))
    found = {**found, "run": run.run, "consent": consent(run, seats, list(values), waiting)}
    if ended and is_agreed(ended):
        found["basis"] = "agreed"
        found["amounts"] = agreed_amounts(
            payoffs_of(ended), exact(found["bounty"]), decimals_of(found["currency"])
        )
    told = [*consent_words(found, "Divided by value."), still_asked(found["consent"]), before]
    return {**found, "notes": [*found["notes"], *filter(None, told)]}


def _params(found: Mapping[str, Any], values: Mapping[str, float]) -> dict[str, Any]:
    """Return the parameters of the game `delivered`, which the owners play."""
    earned = {agent: plain(x.limit_denominator(10**6)) for agent, x in _earned(values).items()}
    return {
        "artefacts": {agent: {KIND: x} for agent, x in earned.items()},
        "weights": {KIND: [100.0, 100.0]},
        "bounty": float(exact(found["bounty"])),
        "currency": found["currency"],
        "decimals": decimals_of(found["currency"]),
        "work": "values of an app's agents",
    }


def _earned(values: Mapping[str, float]) -> dict[str, Fraction]:
    return {agent: max(Fraction(0), exact(value)) for agent, value in values.items()}
