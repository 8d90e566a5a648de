"""No agent can take a name that looks like another's."""

import pytest

from shapley_coop import games
from shapley_coop.games.look_alikes import look_alike


@pytest.mark.parametrize(
    "other",
    ["\u0410lice", "A1ice", "AIice", "\uff21lice", "Ali\u200bce", "Alice\ufe0f", "\U0001d400lice"],
    ids=["Cyrillic", "one for l", "I for l", "full width", "zero width", "selector", "bold"],
)
def test_a_look_alike_is_refused_in_one_line(other: str) -> None:
    assert look_alike(["Bob", "Alice", other]) == ("Alice", other)
    with pytest.raises(games.GameError) as refused:
        games.load("escape_room", {"agents": ["Alice", other]})
    assert "\n" not in str(refused.value)
    assert str(refused.value).isascii()


def test_names_that_people_have_are_different() -> None:
    names = ["Zoe", "Zoi", "Alice", "Alicia", "Bob", "Rob", "李", "木", "Agent 1", "Agent 2"]
    assert look_alike(names) is None
    assert look_alike([f"A{n}" for n in range(100)]) is None
