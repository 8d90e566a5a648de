"""All books of a home, which share one schema: a database is opened with all of them known."""

from shapley_coop.state.storage.batched import Batched
from shapley_coop.state.storage.chain import Chain
from shapley_coop.state.storage.episodes import Episodes
from shapley_coop.state.storage.journal import Journal
from shapley_coop.state.storage.ledger import Ledger
from shapley_coop.state.storage.owned import Owners
from shapley_coop.state.storage.read_letters import ReadLetters
from shapley_coop.state.storage.register import Runs

__all__ = ["Batched", "Chain", "Episodes", "Journal", "Ledger", "Owners", "ReadLetters", "Runs"]
