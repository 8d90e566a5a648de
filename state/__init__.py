"""What a run knows: the table for all, the minds for one each, the room it was given, its books.

>>> from shapley_coop.state import RunConfig
>>> RunConfig(seats={"*": "embedded:greedy"}).resolve().seats["Alice"].model
'embedded:greedy'

The table (`Table`) is the checkpointed state of every graph. A mind (`AgentTurnState`) is one
agent's private thinking. `see` is the only way from the table into a letter.
"""

from shapley_coop.seats.person import PASS
from shapley_coop.state.asking import ask_seats, broke
from shapley_coop.state.budget import SPENT_UP, Budget
from shapley_coop.state.messages import Utterance, agreed_offers, counted, entries, offer_of
from shapley_coop.state.result import result
from shapley_coop.state.run_config import RunConfig, config_of, game_of, name_of
from shapley_coop.state.storage.checkpoints.savers import saver
from shapley_coop.state.storage.home import Home, home
from shapley_coop.state.storage.ledger import POT, TREASURY, WORLD, Key, Ledger, Line, final
from shapley_coop.state.storage.register import Run
from shapley_coop.state.table import (
    Acceptance,
    Accounts,
    AgentOutput,
    Opening,
    PublicMessage,
    Spent,
    Status,
    Table,
)
from shapley_coop.state.turn import (
    AgentTurnState,
    PrivateView,
    Topic,
    TurnContext,
    TurnState,
    new_spent,
    pending,
)
from shapley_coop.state.view import history, see

__all__ = [
    "PASS",
    "POT",
    "SPENT_UP",
    "TREASURY",
    "WORLD",
    "Acceptance",
    "Accounts",
    "AgentOutput",
    "AgentTurnState",
    "Budget",
    "Home",
    "Key",
    "Ledger",
    "Line",
    "Opening",
    "PrivateView",
    "PublicMessage",
    "Run",
    "RunConfig",
    "Spent",
    "Status",
    "Table",
    "Topic",
    "TurnContext",
    "TurnState",
    "Utterance",
    "agreed_offers",
    "ask_seats",
    "broke",
    "config_of",
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
    "saver",
    "see",
]
