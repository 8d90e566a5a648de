"""Which letters have answers, where that is known without asking the journal.

It is known to whoever plays a run by a lease, once it has looked: nobody else asks the run's agents
meanwhile. And it is known of an episode that ends with this process, because nobody else knows it.
"""

from collections.abc import Iterable

from shapley_coop.remembered import Bounded
from shapley_coop.state.storage.owners import Holder, holder


class Answered:
    """The letters of one episode that have answers.

    Args:
        before: those that had one when this was made.

    Attributes:
        looked: whether the journal was asked once, so that its file is open.
    """

    def __init__(self, before: frozenset[str] = frozenset()) -> None:
        self._before = before
        self._since: set[str] = set()
        self.looked = False

    @property
    def begins(self) -> bool:
        """Whether no letter had an answer before: the episode begins here."""
        return not self._before

    def note(self, letter: str) -> None:
        """Know that a letter is answered from now on."""
        self._since.add(letter)

    def none_of(self, letters: Iterable[str]) -> bool:
        """Whether none of some letters is answered."""
        return not any(letter in self._before or letter in self._since for letter in letters)


_of_process = Bounded[tuple[Holder, str], Answered]()


def begun(episode: str) -> str:
    """The same episode, which ends with this process and begins now."""
    _of_process[holder(), episode] = Answered()
    return episode


def begun_here(episode: str) -> Answered | None:
    """What is known of an episode that ends with this process; None of any other."""
    return _of_process.get((holder(), episode))
