"""What a run knows: the table for all, the minds for one each, the room it was given, its books.

>>> from state import Room
>>> Room(seats={"*": "embedded:greedy"}).resolve().seats["Alice"].model
'embedded:greedy'

The table (`Table`) is the checkpointed state of every graph. A mind (`Mind`) is one agent's
private thinking. `see` is the only way from the table into a letter.
"""

from seats.person import PASS
from state.asking import ask_seats, broke
from state.budget import SPENT_UP, Budget
from state.checkpoints import saver
from state.home import Home, home
from state.ledger import POT, TREASURY, WORLD, Key, Ledger, Line, final
from state.mind import Mind, Minds, Moment, Private, Topic, new_spent, pending
from state.result import result
from state.room import Room, game_of, name_of, room_of
from state.runs import Run
from state.table import Acceptance, Accounts, Opening, Said, Spent, Spoken, Status, Table
from state.talk import Utterance, agreed_offers, counted, entries, offer_of
from state.view import history, see

__all__ = [
    "PASS",
    "POT",
    "SPENT_UP",
    "TREASURY",
    "WORLD",
    "Acceptance",
    "Accounts",
    "Budget",
    "Home",
    "Key",
    "Ledger",
    "Line",
    "Mind",
    "Minds",
    "Moment",
    "Opening",
    "Private",
    "Room",
    "Run",
    "Said",
    "Spent",
    "Spoken",
    "Status",
    "Table",
    "Topic",
    "Utterance",
    "agreed_offers",
    "ask_seats",
    "broke",
    "counted",
    "entries",
    "final",
    "game_of",
    "history",
    "home",
    "name_of",
    "new_spent",
    "offer_of",
    "pending",
    "result",
    "room_of",
    "saver",
    "see",
]
