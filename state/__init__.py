"""What a run knows: its table, its configuration, what follows from both, and where it is kept.

>>> from shapley_coop.state import RunConfig
>>> RunConfig(seats={"*": "embedded:greedy"}).resolve().seats["Alice"].model
'embedded:greedy'

The table (`Table`) is the checkpointed state of every graph, and `EvaluatedTable` all that follows
from it. `view.agent_view` is the only way from the table into a letter.
"""

from typing import TYPE_CHECKING

from shapley_coop.lazily import offered

if TYPE_CHECKING:
    from shapley_coop.state.budget import SPENT_UP, Budget
    from shapley_coop.state.evaluated import EvaluatedTable
    from shapley_coop.state.messages import (
        Utterance,
        agreed_offers,
        counted,
        entries,
        offer_of,
        parties,
    )
    from shapley_coop.state.run_config import RunConfig
    from shapley_coop.state.settings import config_of, game_of, name_of, settings_of
    from shapley_coop.state.storage.checkpoints.savers import saver
    from shapley_coop.state.storage.home import Home, home
    from shapley_coop.state.storage.ledger import Line, final
    from shapley_coop.state.storage.register import Run
    from shapley_coop.state.table import (
        Acceptance,
        AgentOutput,
        Opening,
        PublicMessage,
        Status,
        Table,
    )
else:
    __getattr__ = offered(__name__, __file__)

__all__ = [
    "SPENT_UP",
    "Acceptance",
    "AgentOutput",
    "Budget",
    "EvaluatedTable",
    "Home",
    "Line",
    "Opening",
    "PublicMessage",
    "Run",
    "RunConfig",
    "Status",
    "Table",
    "Utterance",
    "agreed_offers",
    "config_of",
    "counted",
    "entries",
    "final",
    "game_of",
    "home",
    "name_of",
    "offer_of",
    "parties",
    "saver",
    "settings_of",
]
