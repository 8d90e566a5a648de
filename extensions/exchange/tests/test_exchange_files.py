"""What is wrong with a scenario file is said in one line."""

from pathlib import Path

import pytest

from tests.coop_command import USAGE, Coop, one_line

SCENARIO = ("run", "task_exchange", "-g", "task_exchange", "--set", "scenario=g.yaml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("atoms: [{foo: 3}]", "there is no setting 'atoms.0.foo': there are task,"),
        ("wheels: 3", "there is no setting 'wheels': there are name, about, atoms,"),
    ],
)
def test_what_is_wrong_with_a_scenario_is_one_line_that_names_its_file(
    coop: Coop, text: str, said: str
) -> None:
    Path("g.yaml").write_text(f"name: t\n{text}", "utf-8")
    assert f"g.yaml: {said}" in one_line(coop(*SCENARIO), USAGE)
