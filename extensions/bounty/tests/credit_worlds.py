"""Work that is done, among the worlds that every rule of credit is tried on."""

from dataclasses import dataclass

from shapley_coop.games import Game
from tests.credit.credit_plays import World


@dataclass(frozen=True)
class DeliveredWorld(World):
    """Work that is done: who made something is named by what it made."""

    def renamed(self, seed: int, names: list[str]) -> Game:
        """The same work by agents of other names."""
        made = self.game(seed).params.artefacts  # type: ignore[attr-defined]
        return self.game(seed, artefacts=dict(zip(names, made.values(), strict=True)))


def worlds() -> dict[str, World]:
    """The work, by its name in the catalogue."""
    return {"delivered": DeliveredWorld("delivered")}
