"""Who answers a letter: a language model, an embedded agent, a recording.

>>> from seats import Letter, Seat, chat_model
>>> seat = Seat(model="embedded:rational")
>>> model = chat_model(seat, agent="Alice", seed=7)
>>> letter = Letter(system="No rules.", user='```json\\n{"you": "Alice", "ask": "reason"}\\n```')
>>> model.invoke(letter.messages()).text
'<s>I cannot decide: the letter does not say: agents, actions, payoffs, turn, turns.</s>'

`chat_model` is the only lookup from `provider:name` to a model; `Journal` keeps every letter and
answer, once, for the operator alone.
"""

from seats.asking import Question, ask
from seats.clients import clients, close_clients
from seats.journal import Answer, Entry, Journal, Mail, Pointer, letter_hash, nonce
from seats.letters import Letter, as_text
from seats.models import chat_model, check_seat
from seats.seat import CredentialsMissing, Seat, SeatError, as_seat

__all__ = [
    "Answer",
    "CredentialsMissing",
    "Entry",
    "Journal",
    "Letter",
    "Mail",
    "Pointer",
    "Question",
    "Seat",
    "SeatError",
    "as_seat",
    "as_text",
    "ask",
    "chat_model",
    "check_seat",
    "clients",
    "close_clients",
    "letter_hash",
    "nonce",
]
