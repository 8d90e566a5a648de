"""No agent can take a name that looks like another's."""

import pytest

from shapley_coop import games
from shapley_coop.games.look_alikes import Shown, find_mixed, look_alike


@pytest.mark.parametrize(
    "other",
    ["\u0410lice", "A1ice", "AIice", "\uff21lice", "Ali\u200bce", "Alice\ufe0f", "\U0001d400lice"],
    ids=["Cyrillic", "one for l", "I for l", "full width", "zero width", "selector", "bold"],
)
def test_a_look_alike_is_refused_in_one_line(other: str) -> None:
    assert look_alike(["Bob", "Alice", other]) == ("Alice", other)
    shown = Shown()
    shown.add("Bob")
    assert not shown.has_alike(other)
    shown.add("Alice")
    assert shown.has_alike(other)
    with pytest.raises(games.GameError) as refused:
        games.load("escape_room", {"agents": ["Alice", other]})
    assert "\n" not in str(refused.value)
    assert str(refused.value).isascii()


def test_names_that_people_have_are_different() -> None:
    names = ["Zoe", "Zoi", "Alice", "Alicia", "Bob", "Rob", "李", "木", "Agent 1", "Agent 2"]
    assert look_alike(names) is None
    assert look_alike([f"A{n}" for n in range(100)]) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [("Camilla", "Carnilla"), ("wanda", "vvanda"), ("Owen", "Ovven"), ("\u00c6sir", "AEsir")],
)
def test_a_group_of_letters_can_look_like_one_letter(one: str, other: str) -> None:
    assert look_alike([one, "Bob", other]) == (one, other)


def test_a_word_in_two_alphabets_is_refused_and_a_name_in_two_is_not() -> None:
    for mix in ("P\u0430ypal", "Ali\u0441e", "B\u03bfb", "Ann Alic\u0435"):
        assert find_mixed(["Bob", mix]) == mix
        with pytest.raises(games.GameError, match="mixes alphabets in a word") as refused:
            games.load("escape_room", {"agents": ["Zoe", mix]})
        assert str(refused.value).isascii()
    honest = [
        "Alice",
        "\u0410\u043b\u0438\u0441\u0430",
        "Anna \u0418\u0432\u0430\u043d\u043e\u0432\u0430",
    ]
    honest += ["\u7530\u4e2d\u3055\u3093A", "\u0394task", "Zo\u00eb", "Agent \u03b1"]
    assert find_mixed(honest) is None


def test_a_table_has_at_most_a_thousand_agents() -> None:
    """Each name is compared with all others, whoever sends them."""
    with pytest.raises(games.GameError, match="20000 agents: name at most 1000"):
        games.load("escape_room", {"agents": [f"A{n}" for n in range(20_000)]})
