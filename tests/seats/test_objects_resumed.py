"""A run at whose seats a program's own objects sat goes on where they are given again."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from shapley_coop import SeatError, play, resume, resume_sync
from tests.coop_command import USAGE, Coop, one_line
from tests.seats.test_objects import GAME, OTHER, TAGGED, cooperates, moves, played


async def test_a_stopped_run_goes_on_with_its_object_and_asks_no_letter_twice() -> None:
    turns: list[int] = []
    broken = [True]

    def fails_once(letter: str, facts: Mapping[str, Any]) -> str:
        if facts["turn"] == 2 and broken.pop():
            raise OSError("no line")
        turns.append(facts["turn"])
        return TAGGED

    with pytest.raises(
        SeatError, match=r"raised OSError in test_objects_resumed\.py, line \d+, when"
    ):
        await played(fails_once, run="stopped")
    broken.append(False)
    name = fails_once.__qualname__
    with pytest.raises(ValueError, match=r"stopped needs the objects at its seats: Bob") as refused:
        await resume("stopped")
    assert str(refused.value).endswith("shapley_coop.resume_sync('stopped', seats={'Bob': …})")
    with pytest.raises(
        ValueError, match=rf"{name}, not function:{cooperates.__module__}:cooperates"
    ):
        await resume("stopped", {"Bob": cooperates})
    outcome = await resume("stopped", {"Bob": fails_once})
    assert turns == [1, 2, 3]
    assert outcome.verify()
    assert (await resume("stopped")) == outcome, "it has ended, and needs nobody"


def test_a_killed_process_goes_on_in_another_and_the_command_line_says_what_is_missing(
    coop: Coop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "party_of_a_test.py").write_text(
        "import os\n"
        "def party(letter, facts):\n"
        "    if facts['turn'] == 2 and 'DIES' in os.environ:\n"
        "        os._exit(9)\n"
        "    return '<ACTION>cooperate</ACTION>'\n"
    )
    told = (
        "from party_of_a_test import party\nfrom shapley_coop import play_sync\n"
        f"play_sync('llm_only', **{GAME!r}, run='killed', seats={{'Bob': party, **{OTHER!r}}})"
    )
    died = subprocess.run(
        [sys.executable, "-c", told],
        env={**os.environ, "DIES": "1"},
        cwd=tmp_path,
        check=False,
    )
    assert died.returncode == 9
    line = one_line(coop("resume", "killed"), USAGE)
    assert "Bob (function:party_of_a_test:party)" in line
    assert "resume_sync('killed', seats={'Bob': …})" in line
    monkeypatch.syspath_prepend(tmp_path)
    from party_of_a_test import party  # type: ignore[import-not-found]

    outcome = resume_sync("killed", {"Bob": party})
    assert moves(outcome) == ["cooperate"] * 3
    assert outcome.verify()


async def test_each_agents_own_object_is_given_again_also_where_two_have_one_name() -> None:
    def party(action: str) -> Callable[[str, Mapping[str, Any]], str]:
        def acts(letter: str, facts: Mapping[str, Any]) -> str:
            if facts["turn"] == 2 and broken:
                raise OSError
            return f"<ACTION>{action}</ACTION>"

        return acts

    broken, alice, bob = [True], party("defect"), party("cooperate")
    with pytest.raises(SeatError):
        await play("llm_only", **GAME, seats={"Alice": alice, "Bob": bob}, run="two")
    broken.clear()
    with pytest.raises(ValueError, match=r"two needs the objects at its seats: Bob \(function"):
        await resume("two", {"Alice": alice})
    assert (await resume("two", {"Alice": alice, "Bob": bob})).payoffs == {"Alice": 6, "Bob": -3}
