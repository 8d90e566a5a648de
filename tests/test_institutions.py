"""The suite of institutions plays what it says, and docs/workflows.md has its figures."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shapley_coop.evals.measures.evaluators import score
from shapley_coop.evals.sweeps.local import Local
from shapley_coop.evals.sweeps.suite import Cell, expand, load_suite

PAGE = (Path(__file__).parents[1] / "docs" / "workflows.md").read_text(encoding="utf-8")
SUITE = load_suite("institutions")
HEAD = "| agents | game | none | repetition | mediation | contracts | contracts in escrow |"


def rows() -> Iterator[tuple[str, str, list[str]]]:
    """Agents, game, and the efficiencies of each row of the page's table."""
    for line in PAGE.partition(HEAD)[2].partition("\n\n")[0].splitlines()[2:]:
        agents, game, *figures = (part.strip() for part in line.strip("|").split("|"))
        yield agents, game, figures


def cells(agents: str, game: str) -> list[Cell]:
    """The cells of a row, for the first seed."""
    wanted = {"agents": agents, "game": game}
    return [c for c in expand(SUITE) if wanted.items() <= c.labels.items() and c.seed == 0]


def test_every_institution_meets_the_same_games_and_agents() -> None:
    assert list(SUITE.axes["institution"]) == [part.strip() for part in HEAD.split("|")[3:-1]]
    assert {(c.labels["institution"], c.graph) for c in expand(SUITE)} == {
        ("none", "llm_only"),
        ("repetition", "llm_only"),
        ("mediation", "mediation"),
        ("contracts", "contracts"),
        ("contracts in escrow", "contracts"),
    }
    turns = {(c.labels["institution"], c.room["params"]["rounds"]) for c in expand(SUITE)}
    assert turns == {(x, 1 if x == "none" else 10) for x in SUITE.axes["institution"]}


@pytest.mark.parametrize(("agents", "game", "figures"), list(rows()), ids=str)
async def test_the_page_tells_what_the_suite_measures(
    agents: str, game: str, figures: list[str]
) -> None:
    found = []
    for cell in cells(agents, game):
        row = (await Local("page").play(cell)).row
        efficiency = score(row, "efficiency")
        assert efficiency is not None
        found.append(f"{100 * efficiency:.0f} %")
    assert found == figures
