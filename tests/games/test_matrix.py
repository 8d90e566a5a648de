"""Normal-form games: files that are wrong are told how, and coalitions are worth their α-value."""

import json
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.amounts import exact
from shapley_coop.games import Game, GameError, Turn, load
from tests.games import made_games

TUG = {**made_games.TUG, "rounds": 2}


def changed(**parts: Any) -> dict[str, Any]:
    return {**deepcopy(TUG), **parts}


# Files


@pytest.mark.parametrize(
    ("suffix", "write"), [("yaml", yaml.safe_dump), ("json", json.dumps), ("txt", yaml.safe_dump)]
)
def test_a_payoff_file_is_a_game(tmp_path: Path, suffix: str, write: Any) -> None:
    path = tmp_path / f"tug.{suffix}"
    path.write_text(write(TUG))
    game = load(str(path))
    assert game.agents == ("Ann", "Ben")
    assert game.turns == 2
    after = game.step(game.start(), {"Ann": "pull", "Ben": "wait"})
    assert after.rewards == {"Ann": 3, "Ben": -1}
    assert not game.over(after.position)
    assert game.legal(after.position, "Ann") == ["pull", "wait"]
    last = game.step(after.position, {"Ann": "wait", "Ben": "wait"}).position
    assert game.over(last)
    assert game.legal(last, "Ann") == []


def test_a_parameter_replaces_what_the_file_says(tmp_path: Path) -> None:
    path = tmp_path / "tug.yaml"
    path.write_text(yaml.safe_dump(TUG))
    assert load(str(path), {"rounds": 7}).turns == 7


def test_the_letter_shows_the_table_that_the_game_pays() -> None:
    game = load(TUG)
    for cell in game.facts()["payoffs"]:
        assert game.step(game.start(), cell["play"]).rewards == cell["pays"]
    assert "| pull | wait | 3 | -1 |" in game.rules()


BAD_TABLES = {
    "nothing in it": ({}, "actions: it is missing"),
    "no payoffs": ({k: v for k, v in TUG.items() if k != "payoffs"}, "payoffs: it is missing"),
    "one agent": (changed(agents=["Ann"]), "agents: "),
    "an agent twice": (changed(agents=["Ann", "Ann"]), "repeat a name"),
    "agents in a word": (changed(agents="Ann"), "agents: it has to be a list"),
    "a key too many": (changed(colour="red"), " has no parameter 'colour': it has agents"),
    "no actions for one": (changed(actions={"Ann": ["pull"]}), "actions are missing for Ben"),
    "an empty list of actions": (
        changed(actions={"Ann": ["pull"], "Ben": []}),
        "actions are missing for Ben",
    ),
    "a stranger's actions": (
        changed(actions={**TUG["actions"], "Eve": ["pull"]}),
        "actions are given for ['Eve']",
    ),
    "an action twice": (
        changed(actions={**TUG["actions"], "Ann": ["pull", "pull"]}),
        "Ann's actions ['pull', 'pull'] repeat one",
    ),
    "YAML's yes and no": (
        changed(actions={**TUG["actions"], "Ann": [True, False]}),
        "actions.Ann.0: it has to be text",
    ),
    "an action with a space": (
        changed(actions={**TUG["actions"], "Ann": ["pull ", "wait"]}),
        "Ann could not name 'pull '",
    ),
    "an action that is a tag": (
        changed(actions={**TUG["actions"], "Ann": ["</ACTION>", "wait"]}),
        "Ann could not name '</ACTION>'",
    ),
    "an invisible action": (
        changed(actions={**TUG["actions"], "Ann": ["pu\u200bll", "wait"]}),
        "Ann could not name",
    ),
    "a joint action missing": (
        changed(payoffs=TUG["payoffs"][:-1]),
        "['wait', 'wait'] has no payoffs",
    ),
    "a joint action twice": (
        changed(payoffs=[*TUG["payoffs"], TUG["payoffs"][0]]),
        "['pull', 'pull'] has two entries",
    ),
    "an unknown action": (
        changed(payoffs=[{"play": ["push", "wait"], "pays": [0, 0]}]),
        "Ann cannot 'push' in ['push', 'wait']: it can pull, wait",
    ),
    "too few in a play": (
        changed(payoffs=[{"play": ["pull"], "pays": [0, 0]}]),
        "give 2 actions and 2 payoffs, one per agent",
    ),
    "too few paid": (
        changed(payoffs=[{"play": ["pull", "pull"], "pays": [0]}]),
        "give 2 actions and 2 payoffs, one per agent",
    ),
    "a word for a payoff": (
        changed(payoffs=[{"play": ["pull", "pull"], "pays": ["much", 0]}]),
        "payoffs.0.pays.0",
    ),
    "a payoff that is not a number": (
        changed(payoffs=[{"play": ["pull", "pull"], "pays": [float("nan"), 0]}]),
        "finite number",
    ),
    "an endless payoff": (
        changed(payoffs=[{"play": ["pull", "pull"], "pays": [float("inf"), 0]}]),
        "finite number",
    ),
    "a payoff beyond the ledger": (
        changed(payoffs=[{"play": ["pull", "pull"], "pays": [10**12, 0]}]),
        "pay at most 1000000000 each",
    ),
    "no rounds": (changed(rounds=0), "rounds: "),
    "half a round": (changed(rounds=0.5), "rounds: "),
    "more joint actions than can be listed": (
        changed(actions={a: [f"x{n}" for n in range(400)] for a in TUG["agents"]}),
        "more than 100000 joint actions",
    ),
    "a cell that is a list": (changed(payoffs=[["pull", "pull", 0, 0]]), "payoffs.0"),
    "a key that is a number": (changed() | {1: 2}, "Keys should be strings"),
}


@pytest.mark.parametrize(("table", "complaint"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_a_bad_table_is_refused_in_one_clear_line(table: dict[str, Any], complaint: str) -> None:
    with pytest.raises(GameError) as refusal:
        load(table)
    assert str(refusal.value).startswith((str(table.get("name")), "table of payoffs"))
    assert complaint in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("gone.yaml", None, "no file"),
        ("broken.yaml", b"agents: [Ann, Ben", "cannot be read as a game"),
        ("broken.json", b'{"agents": ', "cannot be read as a game"),
        ("code.yaml", b"!!python/object/apply:os.getcwd []", "cannot be read as a game"),
        ("latin.yaml", "name: Zoë".encode("latin-1"), "cannot be read as a game"),
        ("deep.json", b"[" * 100_000, "cannot be read as a game"),
        (
            "list.yaml",
            b"- Ann\n- Ben\n",
            "contains no game: give name, agents, actions and payoffs",
        ),
        ("empty.yaml", b"", "contains no game"),
    ],
)
def test_a_bad_file_is_refused_by_its_name(
    tmp_path: Path, name: str, content: bytes | None, complaint: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(GameError) as refusal:
        load(str(path))
    assert name in str(refusal.value)
    assert complaint in str(refusal.value)
    assert "\n" not in str(refusal.value)


# What a coalition is worth


@dataclass(frozen=True)
class Table:
    """A game drawn at random, and what was done in it."""

    game: Game
    record: list[Turn]

    def total(self, play: tuple[str, ...], coalition: tuple[str, ...]) -> Fraction:
        rewards = self.game.step(self.game.start(), dict(zip(self.game.agents, play, strict=True)))
        return sum((exact(rewards.rewards[a]) for a in coalition), start=Fraction(0))

    def brute_force(self, coalition: tuple[str, ...]) -> Fraction:
        """max over own plays of min over all plays that agree with it, by listing everything."""
        plays = list(product(*self.game.actions.values()))
        inside = [n for n, agent in enumerate(self.game.agents) if agent in coalition]
        worst: dict[tuple[str, ...], Fraction] = {}
        for play in plays:
            own, total = tuple(play[n] for n in inside), self.total(play, coalition)
            worst[own] = min(worst.get(own, total), total)
        return len(self.record) * max(worst.values())

    def worth(self, coalition: tuple[str, ...]) -> Fraction:
        return self.game.analysis.potential(self.record, frozenset(coalition))

    def coalitions(self, least: int = 1) -> list[tuple[str, ...]]:
        sizes = range(least, len(self.game.agents))
        return [c for n in sizes for c in combinations(self.game.agents, n)]


payoff = st.integers(-20, 20) | st.decimals(-20, 20, places=1).map(float)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    agents = ["Ann", "Ben", "Cyd"][: draw(st.integers(2, 3))]
    actions = {a: [f"{a[0]}{n}" for n in range(draw(st.integers(1, 3)))] for a in agents}
    pays = st.lists(payoff, min_size=len(agents), max_size=len(agents))
    cells = [{"play": list(p), "pays": draw(pays)} for p in product(*actions.values())]
    rounds = draw(st.integers(1, 3))
    parts = {"agents": agents, "actions": actions, "payoffs": cells, "rounds": rounds}
    game = load(parts)
    position, record = game.start(), []
    for turn in range(1, rounds + 1):
        done = {a: draw(st.sampled_from(actions[a])) for a in agents}
        after = game.step(position, done)
        record.append(Turn(turn=turn, actions=done, rewards=after.rewards))
        position = after.position
    return Table(game, record)


@given(tables())
@settings(max_examples=60)
def test_a_smaller_coalition_is_worth_its_maximin_value(table: Table) -> None:
    for coalition in table.coalitions():
        assert table.worth(coalition) == table.brute_force(coalition)


@given(tables())
@settings(max_examples=60)
def test_the_grand_coalition_is_worth_exactly_what_was_earned(table: Table) -> None:
    earned = [exact(x) for turn in table.record for x in turn["rewards"].values()]
    assert table.worth(table.game.agents) == sum(earned)
    assert table.worth(()) == 0


@given(tables(), st.data())
@settings(max_examples=60)
def test_silence_is_paid_the_worst_that_it_could_have_meant(table: Table, data: Any) -> None:
    game = table.game
    speaking = data.draw(st.sets(st.sampled_from(game.agents)))
    done = {a: data.draw(st.sampled_from(game.actions[a])) for a in sorted(speaking)}
    possible = [
        game.step(game.start(), dict(zip(game.agents, play, strict=True))).rewards
        for play in product(*([done[a]] if a in done else game.actions[a] for a in game.agents))
    ]
    after = game.step(game.start(), done)
    assert after.rewards == {a: min(rewards[a] for rewards in possible) for a in game.agents}
    assert [effect["agent"] for effect in after.effects] == [
        a for a in game.agents if a not in done
    ]
