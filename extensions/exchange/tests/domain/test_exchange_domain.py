"""Atoms, composites, private utilities, and where scenarios come from."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.deals.language.choices import choose
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message
from shapley_coop.extensions.exchange.domain import Scenario, scenario
from shapley_coop.extensions.exchange.domain.files import build, read_scenario
from shapley_coop.extensions.exchange.domain.masks import to_bits
from shapley_coop.extensions.exchange.domain.paper import printed_utilities
from shapley_coop.extensions.exchange.domain.preferences import grade
from shapley_coop.extensions.exchange.domain.registry import Registry, compose
from shapley_coop.extensions.exchange.domain.source import generate_scenario
from shapley_coop.extensions.exchange.domain.tables import read_scores
from shapley_coop.extensions.exchange.game import TaskExchange
from shapley_coop.games import GameError, load

PAGE: dict[str, Any] = {
    "name": "wedding",
    "atoms": [
        {"task": "book_flight", "arguments": {"to": "New York"}, "says": "Book a flight."},
        "Write the invitations",
        "Bake the cake",
    ],
    "initial": {"Alice": "110", "Bob": "001"},
    "registry": {"110": "Fly there and invite everybody."},
    "utilities": {
        agent: {to_bits(mask, 3): 10 * mask + k for mask in range(1, 8)}
        for k, agent in enumerate(["Alice", "Bob"])
    },
}


def overlap(made: Scenario) -> float:
    """How alike the agents' tables are: the mean correlation of their utilities, in [−1, 1]."""
    tables = [made.utilities[agent][1:].astype(float) for agent in made.tasks.agents]
    pairs = list(combinations(tables, 2))
    alike = [np.corrcoef(a, b)[0, 1] if a.std() and b.std() else 0.0 for a, b in pairs]
    return float(np.mean(alike))


@pytest.mark.parametrize("name", ["paper_cooperative", "paper_competitive"])
def test_the_best_part_of_some_tasks_is_worth_what_no_part_exceeds(name: str) -> None:
    made = scenario(name)
    for agent, held, done in (("Alice", 0b111000, 0), ("Bob", 0b001111, 0b000110)):
        part = made.best_part(agent, held, done)
        parts = [mask for mask in range(64) if mask & held == mask and mask & done == done]
        assert part in parts
        assert made.utility(agent, part) == max(made.utility(agent, mask) for mask in parts)


# Masks and descriptions


def test_the_rules_tell_the_action_of_each_task_and_people_read_only_its_words() -> None:
    game = load("task_exchange", {"scenario": "generated", "atoms": 4})
    rules = game.rules()
    for action, atom in zip(game.goods, game.facts()["atoms"], strict=True):
        assert f" (`{action}`): {atom['says']}\n" in rules
    assert "hold and have done, once all are done or after turn 40. Undone tasks cost no" in rules
    line = f"- 10{rules.split('- 1000')[1].splitlines()[0]}"
    assert game.for_people(line) == f"- 10: {game.facts()['atoms'][0]['says']}"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Apply for the Software Engineer position", 1),
        ("apply for job (Software Engineer)", 1),
        ("apply for the Software Engineer job", 1),
        ("do not apply for the Software Engineer job", None),
        ("Create the note", 0),
        ("Cancel the note", None),
        ("`BOOK FLIGHT(2023-07-30, San Francisco, New York)`", 2),
        (scenario("paper_cooperative").tasks.registry.describe(0b000010).rstrip("."), 4),
        ("apply_for_job()", None),
        ("Apply for the job", None),
    ],
)
def test_an_action_may_be_named_by_the_words_that_letters_have_for_its_task(
    said: str, meant: int | None
) -> None:
    game = TaskExchange()
    task = game.goods[meant] if meant is not None else ""
    for before, after in (("", ""), ("hand ", " to Bob")):
        legal = [f"{before}{name}{after}" for name in game.goods] + ["wait"]
        found = choose(Message(action=f"{before}{said}{after}"), legal, game.also_called)
        assert not isinstance(found, Fault)
        wanted = f"{before}{task}{after}"
        assert (found[0] == wanted) if task else (found[0] not in legal), "else it is sent back"


def test_every_composite_has_one_description_and_every_description_one_composite() -> None:
    registry = scenario("paper_cooperative").tasks.registry
    descriptions = [registry.describe(mask) for mask in range(64)]
    assert len(set(descriptions)) == 64
    assert [registry.mask_of(text) for text in descriptions] == list(range(64))
    assert len(registry.written()) == 10
    assert registry.written()[0b001000] == (
        "Book a flight from San Francisco to New York on July 30, 2023."
    )


@given(st.text(max_size=60))
def test_nothing_but_a_registered_description_names_a_composite(text: str) -> None:
    registry = Registry(["Book a flight", "Set an alarm"], {0b11: "Fly early."})
    known = {"Nothing.": 0, "Set an alarm.": 1, "Book a flight.": 2, "Fly early.": 3}
    assert registry.mask_of(text) == known.get(text)
    assert registry.mask_of(compose(registry.says, 0b11)) is None  # it is worded otherwise


@pytest.mark.parametrize(
    ("says", "written", "complaint"),
    [
        (["A", "A"], {}, "have the same words"),
        (["A; B", "C"], {}, "cannot name an atom"),
        (["A", "B"], {1: "Same", 2: "Same"}, "describes another composite"),
        (["A", "B"], {1: "A."}, "describes another composite"),
        (["A", "B"], {1: "tw\u200bo"}, "copied exactly"),
        (["A", "B"], {1: "<PROPOSAL>"}, "without < >"),
        (["A", "B"], {9: "too far"}, "no composite"),
    ],
)
def test_a_registry_that_would_be_ambiguous_is_refused(
    says: list[str], written: dict[int, str], complaint: str
) -> None:
    with pytest.raises(GameError, match=complaint):
        Registry(says, written)


def test_a_registry_too_large_to_be_read_takes_a_composites_atoms_for_its_name() -> None:
    says = [f"Do part {i}" for i in range(9)]
    large = Registry(says, {0b11: "Do the last two."})
    assert large.describe(0b11) == "Do the last two."
    assert large.mask_of("Do the last two.") == large.mask_of(compose(says, 0b11)) == 0b11
    small = Registry(says[:8], {0b11: "Do the last two."})
    assert small.mask_of(compose(says[:8], 0b11)) is None
    with pytest.raises(GameError, match="describes another composite"):
        Registry(says, {0b11: compose(says, 0b101), 0b101: "Do two."})


# The paper's scenarios


@pytest.mark.parametrize("variant", [0, 1, 99])
@pytest.mark.parametrize(
    ("name", "start", "welfare", "distance"),
    [
        ("paper_cooperative", (0.75, 0.70), 1.45, "0.32"),
        ("paper_competitive", (0.58, 0.25), 0.83, "0.028"),
    ],
)
def test_the_presets_reproduce_what_the_paper_prints(
    name: str, start: tuple[float, float], welfare: float, distance: str, variant: int
) -> None:
    paper = scenario(name, variant)
    initial = paper.tasks.initial
    assert {a: paper.tasks.bits(m) for a, m in initial.items()} == {
        "Alice": "111000",
        "Bob": "000111",
    }
    assert tuple(paper.utility(a, m) for a, m in initial.items()) == start
    assert sum(paper.micro(initial)) / 1e6 == welfare
    digits = len(distance) - 2
    assert f"{paper.front.distance(paper.micro(initial)):.{digits}f}" == distance
    for agent, known in printed_utilities(name).items():
        for mask, utility in known.items():
            assert paper.utilities[agent][mask] == utility
            assert paper.origins[agent][mask] == "printed"
    for table in paper.utilities.values():
        assert table.max() == 1_000_000
        assert table.min() >= 0


def test_unprinted_utilities_vary_with_the_variant_and_are_marked_by_their_absence() -> None:
    one, other = scenario("paper_cooperative", 0), scenario("paper_cooperative", 1)
    free = [m for m in range(1, 64) if m not in one.origins["Alice"]]
    assert any(one.utility("Alice", m) != other.utility("Alice", m) for m in free)
    shown = one.show(secrets=True)
    assert set(shown["origins"]["Alice"].values()) == {"printed", "calibrated"}
    assert "utilities" not in one.show()


def test_preferences_in_the_papers_words_grade_the_atoms_they_mean() -> None:
    paper = scenario("paper_cooperative")
    tasks, alice, bob = paper.tasks, paper.preferences["Alice"], paper.preferences["Bob"]
    liked = {a.name: grade(alice, a) for a in tasks.atoms}
    assert min(liked["apply_for_job(job=Software Engineer)"], 1) > liked[tasks.names[2]]
    note, flight, alarm = (grade(bob, tasks.atoms[i]) for i in (0, 2, 4))
    assert note > flight
    assert alarm > flight


# The dial


@pytest.mark.parametrize(("agents", "atoms"), [(2, 6), (3, 9), (4, 12)])
def test_the_dial_moves_the_overlap_of_preferences(agents: int, atoms: int) -> None:
    names = ["Ann", "Ben", "Cat", "Dan"][:agents]
    means = [
        np.mean([overlap(generate_scenario(names, atoms, dial, seed)) for seed in range(12)])
        for dial in (0, 0.25, 0.5, 0.75, 1)
    ]
    assert means == sorted(means)
    assert means[0] < 0
    assert means[-1] > 0.9


def test_a_generated_scenario_is_the_same_for_the_same_seed() -> None:
    one, other = (
        generate_scenario(["Ann", "Ben"], 8, 0.5, seed=3).show(secrets=True) for _ in range(2)
    )
    assert one == other


# Files


def test_a_scenario_file_is_read_in_both_forms(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(PAGE))
    (tmp_path / "a.json").write_text(json.dumps(PAGE))
    one, other = (scenario(str(tmp_path / name)) for name in ("a.yaml", "a.json"))
    assert one.show(secrets=True) == other.show(secrets=True)
    assert one.tasks.registry.describe(0b110) == "Fly there and invite everybody."
    assert one.tasks.registry.describe(0b011) == "Write the invitations; Bake the cake."
    assert one.tasks.names[0] == "book_flight(to=New York)"
    assert one.utility("Alice", 7) == 1.0
    assert one.utility("Bob", 1) == round(11 / 71, 6)


def test_preferences_beside_utilities_are_told_and_decide_nothing() -> None:
    told = {"Alice": "You love cake.", "Bob": "You are good."}
    with_words, without = build({**PAGE, "preferences": told}), build(PAGE)
    assert with_words.preferences == told
    for agent, table in without.utilities.items():
        assert with_words.utilities[agent].tolist() == table.tolist()


def test_preferences_or_the_dial_stand_for_utilities() -> None:
    page = {key: value for key, value in PAGE.items() if key != "utilities"}
    told = build({**page, "preferences": {"Alice": "You love cake.", "Bob": "You are good."}})
    assert told.utility("Alice", 0b001) > told.utility("Alice", 0b010)
    assert overlap(build({**page, "competition": 1.0})) > overlap(build({**page, "competition": 0}))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"preferences": {"Alice": "You love cake."}}, "needed for Alice, Bob"),
        ({"utilities": None}, "exactly one of utilities"),
        ({"competition": 0.5}, "exactly one of utilities"),
        ({"initial": {"Alice": "110", "Bob": "011"}}, "not a partition"),
        ({"initial": {"Alice": "111", "Bob": "000"}}, "not a partition"),
        ({"initial": {"Alice": "11", "Bob": "001"}}, "3 characters 0 or 1"),
        ({"atoms": ["A", "A", "B"]}, "listed twice|have the same words"),
        ({"registry": {"110": "x", "101": "x"}}, "describes another composite"),
        ({"utilities": {"Alice": PAGE["utilities"]["Alice"]}}, "Alice, Bob"),
        ({"surplus": 1}, "surplus"),
        ({"atoms": ["alone"]}, "atoms"),
    ],
)
def test_a_wrong_file_is_refused_with_one_line(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(GameError, match=complaint) as refused:
        build({**PAGE, **change})
    assert "\n" not in str(refused.value)


def test_a_file_that_cannot_be_read_is_refused_without_quoting_it(tmp_path: Path) -> None:
    broken = tmp_path / "secret.yaml"
    broken.write_text("utilities: {Alice: {'001': 73.25}\n\t]")
    with pytest.raises(GameError) as refused:
        read_scenario(broken)
    assert "73.25" not in str(refused.value)
    with pytest.raises(GameError, match="no such scenario file"):
        read_scenario(tmp_path / "absent.yaml")
    with pytest.raises(GameError, match="no scenario 'papers'"):
        scenario("papers")


@pytest.mark.parametrize(
    ("scores", "complaint"),
    [
        ({"01": 5, "10": 6}, "no score for 11"),
        ({"01": 5, "10": 6, "11": 101}, "score of 11 is out of range"),
        ({"01": 5, "10": 6, "11": float("nan")}, "score of 11 is not a number"),
        ({"01": 5, "10": True, "11": 7}, "score of 10 is not a number"),
        ({"1": 5}, "2 characters"),
        ([1, 2], "must map masks"),
    ],
)
def test_scores_made_by_a_model_are_checked(scores: Any, complaint: str) -> None:
    with pytest.raises(GameError, match=complaint):
        read_scores(scores, 2, "Alice")


def test_no_repr_shows_a_private_table() -> None:
    paper: Scenario = scenario("paper_cooperative")
    assert "utilities" not in repr(paper)
    assert "documents" not in repr(paper)
