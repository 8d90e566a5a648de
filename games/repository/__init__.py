"""Who made what in a git repository: counts of artefacts per contributor, each with its evidence.

>>> history = read_history(".")                                         # doctest: +SKIP
>>> history.artefacts()["Ada"]                                          # doctest: +SKIP
{'code': Fraction(412, 1), 'decisions': Fraction(1, 1), 'documents': Fraction(5, 2), 'fixes': ...}

It reads with git itself and changes nothing. The repository may be hostile: none of its
configuration can run a program, reach the network or rewrite who wrote what.
"""

from shapley_coop.games.repository.contributions import Contribution, History
from shapley_coop.games.repository.git import RepositoryError
from shapley_coop.games.repository.history import read_history
from shapley_coop.games.repository.rules import KINDS, Rules, read_rules
from shapley_coop.games.repository.uncounted import in_words

__all__ = [
    "KINDS",
    "Contribution",
    "History",
    "RepositoryError",
    "Rules",
    "in_words",
    "read_history",
    "read_rules",
]
