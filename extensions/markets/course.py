"""The answers of an embedded agent in games with goods."""

from collections.abc import Callable, Mapping

from shapley_coop.extensions.markets.trading import Trader
from shapley_coop.seats.embedded.letter_facts import Reader


def course(reader: Reader) -> Mapping[str, Callable[[], str]]:
    """Return question name → the function that answers a letter with this question."""
    me = Trader.of(reader)
    return {
        "reason": me.reason,
        "propose": me.propose,
        "answer": me.reply,
        "act": me.act,
        "contract_propose": me.propose,
        "contract_answer": me.answer_draft,
        "contract_sign": me.sign,
    }
