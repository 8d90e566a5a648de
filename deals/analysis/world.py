"""What agents can do in a game, as far as payments in all its courses depend on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from shapley_coop.deals.analysis.stage import NotFinite, StageGame, facts_of
from shapley_coop.games import Game, Turn


@dataclass(frozen=True)
class World:
    """What agents can do.

    Attributes:
        actions: agent → all of its actions.
        turns: how many turns there are.
        record: those that were played.
        stage: what each joint action pays; None where that is not known in advance.
    """

    actions: Mapping[str, Sequence[str]]
    turns: int
    record: Sequence[Turn] = ()
    stage: StageGame | None = None

    @classmethod
    def of(cls, game: Game, record: Sequence[Turn]) -> "World":
        """From a game, with what each joint action pays where that is known."""
        return cls(game.actions, game.turns, record, _stage_of(game))


@lru_cache(maxsize=64)
def _stage_of(game: Game) -> StageGame | None:
    try:
        return StageGame.of(facts_of(game))
    except NotFinite:
        return None
