"""Six properties that credit has in every game: bundled, from a table, of one's own, PettingZoo."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.credit.norms import norms
from shapley_coop.games import load
from shapley_coop.games.replay import Replays
from shapley_coop.games.turns import realised_total
from tests.credit.credit_plays import (
    WORLDS,
    World,
    all_coalitions,
    at_random,
    credited,
    ends,
    recorded,
    with_heaps,
)
from tests.games.test_own_game import ORCHARD

NORMS = [name for name in norms() if name != "deegan_packel"]
MARGINAL = [name for name in NORMS if name not in ("equal", "proportional", "nucleolus")]
SEEDS = st.integers(0, 10**6)
STOPS = st.sampled_from([30, 4, 2])
PLAYS = settings(max_examples=12)


@pytest.fixture(scope="module", params=[*WORLDS, "own"])
def world(request: pytest.FixtureRequest, tmp_path_factory: Any) -> World:
    with_heaps()
    path = tmp_path_factory.mktemp("own") / "orchard.py"
    path.write_text(ORCHARD, encoding="utf-8")
    return WORLDS.get(request.param) or World(str(path))


def without(members: Any, i: int) -> Any:
    """The coalitions without an agent."""
    there = members.copy()
    there[:, i] = False
    return there


def is_null(replays: Replays, i: int) -> bool:
    """Whether an agent's replays as a member and as none pay everybody the same."""
    members = all_coalitions(len(replays.agents))
    return bool((replays.earned(members) == replays.earned(without(members, i))).all())


def are_alike(replays: Replays, i: int, j: int) -> bool:
    """Whether two agents add the same to every coalition."""
    n = len(replays.agents)
    rest = without(without(all_coalitions(n), i), j)
    with_i, with_j = rest.copy(), rest.copy()
    with_i[:, i] = with_j[:, j] = True
    return bool((replays.totals(with_i) == replays.totals(with_j)).all())


@given(seed=SEEDS, stop=STOPS)
@PLAYS
def test_everybodys_replay_is_the_record_and_values_sum_to_what_it_improved(
    world: World, seed: int, stop: int
) -> None:
    game = world.game(seed)
    record = world.record(game, seed, stop)
    replays, total = game.analysis.replays(record), realised_total(record)
    assert sum(replays.of(np.ones(len(game.agents), dtype=bool)).values()) == total
    found = credited(game, record)
    assert sum(found.values.values()) == found.total == total - sum(replays.at_baseline().values())
    for norm in NORMS:
        assert sum(ends(game, record, norm)) == total


@given(seed=SEEDS, stop=STOPS, data=st.data())
@PLAYS
def test_whose_replay_is_its_baseline_has_no_value_and_ends_with_its_baseline(
    world: World, seed: int, stop: int, data: Any
) -> None:
    game = world.game(seed)
    own = game.baseline.kind in ("actions", "idle")  # else nobody's actions are its baseline
    null = data.draw(st.integers(0, len(game.agents) - 1)) if own else None
    record = world.record(game, seed, stop, null)
    replays = game.analysis.replays(record)
    if null is not None:
        assert is_null(replays, null)
    for i, agent in enumerate(game.agents):
        if not is_null(replays, i):
            continue
        for norm in MARGINAL:
            found = credited(game, record, norm)
            assert found.values[agent] == 0
            if any(found.values.values()) or not found.total:
                assert found.payoffs(realised_total(record))[agent] == replays.at_baseline()[agent]


@given(seed=SEEDS, stop=STOPS)
@PLAYS
def test_agents_that_add_the_same_have_the_same_value(world: World, seed: int, stop: int) -> None:
    game = world.game(seed)
    record = world.record(game, seed, stop)
    replays, n = game.analysis.replays(record), len(game.agents)
    values = {norm: list(credited(game, record, norm).values.values()) for norm in NORMS}
    for i in range(n):
        for j in range(i):
            if are_alike(replays, i, j):
                for norm, found in values.items():
                    assert found[i] == pytest.approx(found[j], abs=1e-6), norm


@given(seed=SEEDS, stop=STOPS)
@PLAYS
def test_renaming_agents_renames_values(world: World, seed: int, stop: int) -> None:
    if not world.renames:
        pytest.skip("its agents' names are part of it")
    game = world.game(seed)
    named = {agent: f"Z{10 - i}" for i, agent in enumerate(game.agents)}
    other = world.renamed(seed, list(named.values()))
    record = world.record(game, seed, stop)
    turns = [{named[a]: x for a, x in turn["actions"].items()} for turn in record]
    values = credited(game, record).values
    assert credited(other, recorded(other, turns)).values == {
        named[a]: x for a, x in values.items()
    }


def test_agents_of_equal_conduct_have_equal_values() -> None:
    game = load("public_goods", {"rounds": 3})
    record = at_random(game, 5, passes=0)
    for turn in record:
        turn["actions"]["Carol"] = turn["actions"]["Bob"]
    record = recorded(game, [turn["actions"] for turn in record])
    for norm in set(NORMS) - {"equal", "proportional"}:
        values = credited(game, record, norm).values
        assert values["Bob"] == values["Carol"]


D, C = "defect", "cooperate"


@pytest.mark.parametrize(
    ("name", "selfish", "kind"), [("prisoners_dilemma", D, C), ("public_goods", "keep", "give")]
)
@given(data=st.data())
@settings(max_examples=40)
def test_one_more_cooperation_never_lowers_its_authors_value(
    name: str, selfish: str, kind: str, data: Any
) -> None:
    game = load(name, {"rounds": 3})
    acts = st.fixed_dictionaries({a: st.sampled_from([selfish, kind]) for a in game.agents})
    plays = data.draw(st.lists(acts, min_size=3, max_size=3))
    turn, agent = data.draw(st.integers(0, 2)), data.draw(st.sampled_from(game.agents))
    plays[turn][agent] = selfish
    before = credited(game, recorded(game, plays)).values[agent]
    plays[turn][agent] = kind
    assert credited(game, recorded(game, plays)).values[agent] >= before


# Sampling


@pytest.mark.parametrize(
    "norm",
    ["shapley", *(pytest.param(x, marks=pytest.mark.slow) for x in MARGINAL if "banzhaf" in x)],
)
def test_beyond_sixteen_agents_values_have_errors_within_the_target(norm: str) -> None:
    game = load("escape_room", {"agents": [f"A{n}" for n in range(17)], "levers": 2})
    record = at_random(game, 1, passes=0.2)
    found = credited(game, record, norm)
    assert found.method.startswith("sampled")
    assert found.standard_error is not None
    assert sum(found.payoffs(realised_total(record)).values()) == realised_total(record)
