"""What an embedded agent answers in its own way where agents hold goods."""

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
    """Return what a letter asks for → a callable that answers it."""
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
