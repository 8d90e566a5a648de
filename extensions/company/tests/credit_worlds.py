"""The company among the worlds that every rule of credit is tried on."""

from dataclasses import dataclass
from typing import Any

from extensions.company.tests.company_play import by_embedded_roles, company
from shapley_coop.games import Game, Turn
from tests.credit.credit_plays import World


@dataclass(frozen=True)
class CompanyWorld(World):
    """A company, whose record is the first turns of a whole play: its actions carry content."""

    def game(self, seed: int, **more: Any) -> Game:
        """The company, whose checks answer by words and run nothing."""
        return company()

    def record(self, game: Game, seed: int, stop: int = 30, null: int | None = None) -> list[Turn]:
        """The first turns."""
        return by_embedded_roles(company())[1][:stop]


def worlds() -> dict[str, World]:
    """The company, by its name in the catalogue."""
    return {"software_company": CompanyWorld("software_company", renames=False)}
