"""Words of whoever runs a table reach every letter, alike for all, and change nothing else."""

from pathlib import Path
from typing import Any

import pytest

from shapley_coop.graphs.running import play
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.brought import brought_by
from tests.coop_command import Coop, one_line
from tests.prompts.test_letters import SNAPSHOTS

WORDS = "Speak as people do in the north of the country, in rhymes."


async def letters(graph: str, **room: Any) -> list[str]:
    outcome = await play(graph, RunConfig.model_validate(room))
    return [entry.letter_text for entry in home().journal.entries(outcome["episode"])]


@pytest.mark.parametrize(
    "graph",
    ["shapley_coop", "contracts", pytest.param("task_exchange", marks=brought_by("exchange"))],
)
async def test_instructions_stand_in_every_letter_of_the_workflow(graph: str) -> None:
    game = "task_exchange" if graph == "task_exchange" else "prisoners_dilemma"
    kept = await letters(graph, game=game, instructions=WORDS)
    assert kept
    assert all(letter.count(WORDS) == 1 for letter in kept)


async def test_the_part_of_a_letter_that_is_the_same_for_all_ends_with_them() -> None:
    plain = (SNAPSHOTS / "table.md").read_text(encoding="utf-8")
    for letter in await letters("negotiation_priced", instructions=WORDS):
        assert letter.startswith(plain[: plain.index("# How it goes")])
        assert letter.index("# How it goes") < letter.index(WORDS) < letter.index("# So far")


def test_the_command_line_takes_words_or_a_file(coop: Coop, tmp_path: Path) -> None:
    (tmp_path / "prompt.md").write_text(WORDS)
    for n, given in enumerate((WORDS, "@prompt.md")):
        run = ("run", "escape_room", "--graph", "llm_only", "--name", f"r{n}")
        assert coop(*run, "--instructions", given).code == 0
        assert WORDS in coop("letters", f"r{n}").out
    wrong = coop("run", "escape_room", "--instructions", "@nowhere.md")
    assert "nowhere.md" in one_line(wrong, 2)
