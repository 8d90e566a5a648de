"""Letters as a provider's prefix cache reads them, byte for byte.

What is the same for everybody comes first, then what has happened, which only grows, and last what
one agent is told; so the next letter of anybody begins as the last one did.
"""

import json
from itertools import pairwise
from typing import Any

import pytest

from shapley_coop.graphs.running import play
from shapley_coop.prompts import NOT_PLAYED
from shapley_coop.seats.asking import ask
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.scripted import Script, Shown, events, shown

HISTORY, DEAL, PERSON = "\n# So far\n", "\n# The deal in force\n", "\n# You\n"

TABLES = {
    "once": ("shapley_coop", {"game": "escape_room", "seed": 3}),
    "repeated": (
        "shapley_coop",
        {"game": "prisoners_dilemma", "params": {"rounds": 3}, "renegotiate": "every 1"},
    ),
    "many": ("negotiation", {"game": "public_goods", "params": {"agents": 6, "rounds": 3}}),
    "signed": ("contracts", {"game": "prisoners_dilemma", "params": {"rounds": 2}}),
    "instructed": ("negotiation", {"game": "stag_hunt", "instructions": "Be brief."}),
}
"""Workflow and room, by what is told of them."""

SECRET = "the-north-window-is-open"


@pytest.fixture(scope="module", params=TABLES, ids=list(TABLES))
async def letters(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[tuple[str, str, Shown]]:
    """Every letter of a run to an agent, in order: agent, system part, whole text."""
    graph, room = TABLES[request.param]
    agents = ["Alice", "Bob", "Agent1", "Agent2"]
    script = Script()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COOP_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setattr("shapley_coop.seats.asking.chat_model", script.chat_model)
        home().secrets.mkdir(parents=True)
        told = "".join(f"{agent}: {SECRET}-of-{agent}\n" for agent in agents)
        (home().secrets / "told.yaml").write_text(told, encoding="utf-8")
        outcome = await play(graph, RunConfig.model_validate({**room, "secrets": "told"}))
    parties = set(outcome["agents"])
    return [
        (agent, str(messages[0].text), shown(messages))
        for agent, _, messages in script.letters
        if agent in parties
    ]


def transcript(letter: str) -> str:
    """A letter up to the last thing that happened."""
    end = letter.index(DEAL) if DEAL in letter else letter.index(PERSON)
    return letter[:end].rstrip("\n").removesuffix("Nothing yet.").removesuffix(NOT_PLAYED)


def family(letter: str) -> str:
    """What letters of one kind share: the rules, what can be offered, whether a deal binds."""
    return letter[: letter.index(HISTORY)] + DEAL * (DEAL in letter)


def test_the_rules_are_the_same_bytes_for_every_agent_turn_and_attempt(letters: Any) -> None:
    systems: dict[str, set[str]] = {}
    for _, system, letter in letters:
        systems.setdefault(letter.facts["ask"], set()).add(system)
    assert all(len(of_one_kind) == 1 for of_one_kind in systems.values())
    assert len({system for kind in systems.values() for system in kind}) <= 4
    begin = {
        system[: system.index("# How it goes")] for kind in systems.values() for system in kind
    }
    assert len(begin) == 1, "the game's rules come first, in all of them"


def test_who_knows_the_same_is_shown_the_same_bytes_up_to_its_own_name(letters: Any) -> None:
    fronts: dict[str, set[str]] = {}
    readers: dict[str, set[str]] = {}
    for agent, _, letter in letters:
        happened = json.dumps([family(letter), events(letter)])
        fronts.setdefault(happened, set()).add(letter[: letter.index(PERSON)])
        readers.setdefault(happened, set()).add(agent)
    assert max(map(len, readers.values())) > 1
    assert all(len(alike) == 1 for alike in fronts.values())


def test_a_letter_begins_with_the_last_ones_history_whoever_reads_it(letters: Any) -> None:
    latest: dict[str, str] = {}
    grown = 0
    for _, _, letter in letters:
        kind = family(letter)
        if kind in latest:
            assert letter.encode().startswith(transcript(latest[kind]).encode())
            grown += 1
        latest[kind] = letter
    assert grown >= len(latest) or len(letters) < 10


def test_what_one_agent_is_told_comes_after_what_everybody_knows(letters: Any) -> None:
    for agent, _, letter in letters:
        assert letter.index(HISTORY) < letter.index(PERSON)
        end = letter.index(PERSON)
        assert f"**{agent}**" in letter[end:]
        for name in ("Alice", "Bob", "Agent1", "Agent2"):
            at = letter.find(f"{SECRET}-of-{name}")
            assert (at > end) if name == agent else (at == -1)


async def test_a_summary_breaks_the_prefix_only_when_it_is_made(script: Script) -> None:
    for agent in ("Alice", "Bob"):
        script[agent, "act"] = "<ACTION>defect</ACTION>"
    given = {"game": "prisoners_dilemma", "params": {"rounds": 12}, "recall": 3}
    await play("llm_only", RunConfig.model_validate(given))
    alice = script.shown_to("Alice", "act")
    broken = [n for n, (a, b) in enumerate(pairwise(alice), 1) if not b.startswith(transcript(a))]
    assert broken == [6, 9], "after six events and after every third from then on"
    for one, other in zip(alice, script.shown_to("Bob", "act"), strict=True):
        assert transcript(one) == transcript(other), "it is the same for everybody"


async def test_a_warm_cache_has_one_asked_before_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard: list[str] = []

    async def listening(*given: Any, **options: Any) -> Any:
        agent = given[2].agent
        heard.append(f"{agent} is asked")
        answer = await ask(*given, **options)
        heard.append(f"{agent} has answered")
        return answer

    monkeypatch.setattr("shapley_coop.seats.steps.ask", listening)
    given = {"game": "public_goods", "params": {"rounds": 1}, "warm_cache": True}
    await play("llm_only", RunConfig.model_validate(given))
    assert heard[:2] == ["Alice is asked", "Alice has answered"]
    assert [told.partition(" ")[2] for told in heard[2:5]] == ["is asked"] * 3


# The model of a cache by which `make bench` bills
