"""Seats: the models, embedded agents, recordings, programs and people that answer letters.

>>> from shapley_coop.seats.letters import Letter
>>> from shapley_coop.seats.models import chat_model
>>> from shapley_coop.seats.seat import Seat
>>> seat = Seat(model="embedded:rational")
>>> model = chat_model(seat, agent="Alice", seed=7)
>>> letter = Letter(system="No rules.", user='```json\\n{"you": "Alice", "ask": "act"}\\n```')
>>> model.invoke(letter.messages()).text
'<s>I cannot decide: the letter lacks legal.</s>'

`chat_model` is the only lookup from `provider:name` to a model. A `Journal`
(`state.storage.journal`) keeps each letter and answer once; only the operator may read them.
"""
