"""The answers of an embedded agent in games with goods."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from shapley_coop.extensions.markets.trading import Trader
from shapley_coop.games import Turn
from shapley_coop.seats.embedded.characters import Character


def course(
    facts: Mapping[str, Any],
    record: list[Turn],
    self_: Character,
    rng: Random,
    talk: Sequence[Mapping[str, Any]],
) -> Mapping[str, Callable[[], str]]:
    """Return question name → the function that answers a letter with this question."""
    me = Trader(facts, record, self_, rng, talk)
    return {
        "reason": me.reason,
        "propose": me.propose,
        "answer": me.reply,
        "act": me.act,
        "contract_propose": me.propose,
        "contract_answer": me.answer_draft,
        "contract_sign": me.sign,
    }
