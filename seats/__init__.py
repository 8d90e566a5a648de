"""Who answers a letter: a language model, an embedded agent, a recording.

>>> from shapley_coop.seats import Letter, Seat, chat_model
>>> seat = Seat(model="embedded:rational")
>>> model = chat_model(seat, agent="Alice", seed=7)
>>> letter = Letter(system="No rules.", user='```json\\n{"you": "Alice", "ask": "act"}\\n```')
>>> model.invoke(letter.messages()).text
'<s>I cannot decide: the letter does not say: legal.</s>'

`chat_model` is the only lookup from `provider:name` to a model; a `Journal` keeps every letter
and answer, once, for the operator alone (`state.storage.journal`).
"""

from typing import TYPE_CHECKING

from shapley_coop.lazily import offered

if TYPE_CHECKING:
    from shapley_coop.seats.asking import Question, ask
    from shapley_coop.seats.letters import Letter, as_text
    from shapley_coop.seats.models import chat_model, check_seat
    from shapley_coop.seats.records import Journal
    from shapley_coop.seats.seat import CredentialsMissing, Seat, SeatError, as_seat
else:
    __getattr__ = offered(__name__, __file__)

__all__ = [
    "CredentialsMissing",
    "Journal",
    "Letter",
    "Question",
    "Seat",
    "SeatError",
    "as_seat",
    "as_text",
    "ask",
    "chat_model",
    "check_seat",
]
