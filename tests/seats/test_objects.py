"""A program's own functions, models and graphs sit at the table; the record has none of them."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt
from pydantic import BaseModel

import shapley_coop
from shapley_coop import Outcome, SeatError, Waiting, play, play_sync, resume, resume_sync
from shapley_coop.state.storage.checkpoints.savers import shared_saver
from shapley_coop.state.storage.home import home
from tests.coop_command import USAGE, Coop, one_line

GAME: dict[str, Any] = {"game": "prisoners_dilemma", "params": {"rounds": 3}}
OTHER = {"*": "embedded:rational"}
USED = {"input_tokens": 30, "output_tokens": 2, "total_tokens": 32}
TAGGED = "<ACTION>cooperate</ACTION>"


class Move(BaseModel):
    action: str
    thoughts: str = ""


def cooperates(letter: str, facts: Mapping[str, Any]) -> str:
    return TAGGED


async def in_time(letter: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    return {"action": facts["legal"][1]}


def by_model(letter: str, facts: Mapping[str, Any]) -> Move:
    return Move(action="cooperate")


class Party:
    def __call__(self, letter: str, facts: Mapping[str, Any]) -> str:
        return TAGGED


def compiled(answer: Callable[[MessagesState], Any], name: str = "team") -> Any:
    return (
        StateGraph(MessagesState)
        .add_node(answer)
        .add_edge(START, answer.__name__)
        .compile(name=name)
    )


def answers(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage(TAGGED, usage_metadata=USED)]}


def keeps_silent(state: MessagesState) -> dict[str, Any]:
    return {}


def asks_somebody(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage(interrupt("what now?"))]}


async def played(given: Any, **settings: Any) -> Outcome:
    return await play("llm_only", **{**GAME, "seats": {"Bob": given, **OTHER}, **settings})


def moves(outcome: Outcome) -> list[str]:
    return [e["actions"]["Bob"] for e in outcome["events"] if e["kind"] == "played"]


# Who can sit


@pytest.mark.parametrize(
    ("given", "seat"),
    [
        (cooperates, f"function:{__name__}:cooperates"),
        (in_time, f"function:{__name__}:in_time"),
        (by_model, f"function:{__name__}:by_model"),
        (Party(), f"function:{__name__}:Party"),
        (compiled(answers), "graph:langgraph.graph.state:CompiledStateGraph:team"),
        (
            FakeListChatModel(responses=[TAGGED]),
            "model:langchain_core.language_models.fake_chat_models:FakeListChatModel",
        ),
    ],
    ids=["function", "async", "answer object", "instance", "graph", "chat model"],
)
async def test_it_plays_and_the_record_names_it_and_verifies(given: Any, seat: str) -> None:
    outcome = await played(given)
    assert moves(outcome) == ["cooperate"] * 3
    assert outcome["seats"]["Bob"] == seat
    assert outcome.verify()
    assert json.loads(json.dumps(outcome)) == outcome


async def test_what_a_graph_used_is_counted_and_a_function_uses_nothing() -> None:
    spent = (await played(compiled(answers)))["spending"]["action"]["Bob"]
    assert (spent["input_tokens"], spent["output_tokens"]) == (90, 6)
    spent = (await played(cooperates))["spending"]["action"]["Bob"]
    assert (spent["input_tokens"], spent["output_tokens"]) == (0, 0)


async def test_functions_sign_a_contract_and_keep_it() -> None:
    def signs(letter: str, facts: Mapping[str, Any]) -> dict[str, Any]:
        match facts["ask"]:
            case "contract_propose":
                work = [{"kind": "do", "agent": a, "action": "work"} for a in facts["agents"]]
                return {"speech": "We all work.", "clauses": work}
            case "contract_answer":
                return {"speech": "Yes.", "decision": "accept"}
            case "act":
                return {"action": "work"}
        return {}

    outcome = await play("contracts", game="shared_service", seats={"*": signs})
    assert outcome.status == "agreed"
    assert outcome.contract
    assert "Cem" in outcome.contract.text()
    assert outcome.breaches == []
    assert outcome.payoffs == {"Ada": 45, "Ben": 75, "Cem": 105}
    assert outcome.verify()


async def test_people_sit_beside_objects() -> None:
    seats = {"Alice": "human", "Bob": cooperates}
    with pytest.raises(Waiting) as waiting:
        await play("llm_only", **GAME, seats=seats, run="beside")
    assert waiting.value.agents == ["Alice"]
    assert "resume_sync('beside', seats={'Bob': …})" in home().run("beside").why
    outcome = await resume("beside", {"Bob": cooperates}, person=lambda mail: TAGGED)
    assert outcome.payoffs == {"Alice": 3, "Bob": 3}


# What it sees, and what is kept


async def test_a_function_sees_the_letter_that_the_journal_keeps_and_can_change_nothing() -> None:
    seen: list[tuple[str, dict[str, Any]]] = []

    def reads(letter: str, facts: Any) -> str:
        seen.append((letter, json.loads(json.dumps(facts))))
        facts.clear()
        return TAGGED

    outcome = await played(reads)
    kept = [e for e in home().journal.entries(outcome["episode"]) if e.agent == "Bob"]
    assert sorted(letter for letter, _ in seen) == sorted(e.letter_text for e in kept)
    assert [f["turn"] for _, f in seen] == sorted(e.facts["turn"] for e in kept) == [1, 2, 3]


async def test_a_model_a_graph_and_a_function_are_shown_the_same_letter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COOP_SEND_FACTS", "")
    letters: list[str] = []

    def heard(state: MessagesState) -> dict[str, Any]:
        letters.append("\n\n".join(str(message.text) for message in state["messages"]))
        return answers(state)

    model = FakeListChatModel(responses=[TAGGED])
    outcomes = [await played(each) for each in (compiled(heard), cooperates, model)]
    of_graph, of_function, of_model = (
        sorted(e.letter_text for e in home().journal.entries(o["episode"]) if e.agent == "Bob")
        for o in outcomes
    )
    assert sorted(letters) == of_graph == of_function == of_model


async def test_a_graph_at_a_seat_is_no_part_of_the_run_and_leaves_no_checkpoint() -> None:
    def calls(letter: str, facts: Mapping[str, Any]) -> str:
        return str(compiled(answers).invoke({"messages": [("user", letter)]})["messages"][-1].text)

    for given in (compiled(answers), calls):
        outcome = await played(given)
        where = {"configurable": {"thread_id": outcome.run}}
        async with shared_saver(home()) as saver:
            kept = [one.config["configurable"] async for one in saver.alist(where)]
        assert {one["checkpoint_ns"] for one in kept} == {""}


# It goes on where it is given again


async def test_a_stopped_run_goes_on_with_its_object_and_asks_no_letter_twice() -> None:
    turns: list[int] = []
    broken = [True]

    def fails_once(letter: str, facts: Mapping[str, Any]) -> str:
        if facts["turn"] == 2 and broken.pop():
            raise OSError("no line")
        turns.append(facts["turn"])
        return TAGGED

    with pytest.raises(SeatError, match=r"raised OSError in test_objects\.py, line \d+, when"):
        await played(fails_once, run="stopped")
    broken.append(False)
    name = fails_once.__qualname__
    with pytest.raises(ValueError, match=r"stopped needs the objects at its seats: Bob") as refused:
        await resume("stopped")
    assert str(refused.value).endswith("shapley_coop.resume_sync('stopped', seats={'Bob': …})")
    with pytest.raises(ValueError, match=rf"{name}, not function:{__name__}:cooperates"):
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


async def test_a_name_alone_seats_nobody() -> None:
    with pytest.raises(ValueError, match=r"an object sits only where a program gives it itself"):
        await played(f"function:{__name__}:cooperates")


# What is refused, in one line


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (7, "Bob's seat: an object of class int is no seat: give a function of (letter, facts)"),
        (Party, "Bob's seat: Party is a class: give an instance of it"),
        (
            StateGraph(MessagesState),
            "Bob's seat: an object of class StateGraph is no seat: give a f",
        ),
        (lambda letter: letter, "Bob's seat: <lambda>(letter) cannot be called with (letter, fa"),
    ],
    ids=["number", "class", "builder", "one parameter"],
)
def test_what_can_sit_nowhere_is_refused_before_anything_is_played(given: Any, told: str) -> None:
    with pytest.raises(TypeError) as refused:
        play_sync("llm_only", **GAME, seats={"Bob": given, **OTHER})
    assert str(refused.value).startswith(told)
    assert "\n" not in str(refused.value)
    assert home().runs.list() == []


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"seats": [cooperates]}, "seats: a list is given: give agent → who sits there"),
        ({"game": 7}, "game: an object of class int is no game: give a name, a payoff file"),
        ({"seats": {"Dan": cooperates, **OTHER}}, "a seat is given to Dan, who does not play"),
        ({"seats": {"Bob": cooperates}}, "no seat for Alice: name one, or give '*'"),
    ],
)
def test_settings_of_another_kind_are_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises((TypeError, ValueError)) as refused:
        play_sync("llm_only", **{**GAME, **given})
    assert str(refused.value).startswith(told)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (compiled(keeps_silent), "its graph answered nothing"),
        (compiled(asks_somebody), "its graph waits at an interrupt|it raised"),
        (lambda letter, facts: 7, "asked for act, it gave a value of class int: give tagged text"),
        (lambda letter, facts: {"acton": "x"}, "with the field 'acton'; there are thoughts"),
    ],
)
async def test_what_gives_no_answer_stops_the_run_in_one_line(given: Any, told: str) -> None:
    with pytest.raises(SeatError, match=told) as stopped:
        await played(given)
    assert "\n" not in str(stopped.value)
    assert stopped.value.__context__ is None


# The game


class Tug(shapley_coop.Game):
    """Whoever pulls wins, if the other does not."""

    name = "tug"

    def __init__(self, params: Mapping[str, Any] | None = None, seed: int = 0) -> None:
        super().__init__(params, seed)
        self.actions = dict.fromkeys(self.agents, ("pull", "wait"))

    def start(self) -> dict[str, Any]:
        return {"turn": 1}

    def legal(self, position: Mapping[str, Any], agent: str) -> list[str]:
        return ["pull", "wait"]

    def step(self, position: Any, actions: Mapping[str, str]) -> Any:
        from shapley_coop.games import Step

        pulled = [agent for agent in self.agents if actions.get(agent) == "pull"]
        rewards = {agent: 3 if pulled == [agent] else 0 for agent in self.agents}
        return Step({"turn": position["turn"] + 1}, rewards)

    def over(self, position: Mapping[str, Any]) -> bool:
        return bool(position["turn"] > self.turns)

    def rules(self) -> str:
        return "Whoever pulls alone gets 3."

    def facts(self) -> dict[str, Any]:
        return {"game": "tug", "agents": list(self.agents), "turns": self.turns}


def pulls(letter: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    return {"action": "pull" if facts["you"] == "Ann" else "wait"}


async def test_a_game_is_an_object_and_can_be_played_on_and_verified_without_it() -> None:
    game = Tug({"agents": ["Ann", "Ben"], "rounds": 2}, seed=7)
    outcome = await play("llm_only", game=game, seats={"*": pulls})
    assert (outcome.payoffs, outcome["seed"], outcome["game"]) == ({"Ann": 6, "Ben": 0}, 7, "Tug")
    assert outcome.verify()


async def test_a_game_is_the_content_of_a_payoff_file_or_what_load_game_made() -> None:
    table = {
        "name": "rope",
        "agents": ["Ann", "Ben"],
        "actions": {"Ann": ["pull", "wait"], "Ben": ["pull", "wait"]},
        "payoffs": [
            {"play": ["pull", "pull"], "pays": [0, 0]},
            {"play": ["pull", "wait"], "pays": [3, -1]},
            {"play": ["wait", "pull"], "pays": [-1, 3]},
            {"play": ["wait", "wait"], "pays": [1, 1]},
        ],
        "absent": "wait",
    }
    for game in (table, shapley_coop.load_game(table)):
        outcome = await play("llm_only", game=game, seats={"*": pulls})
        assert outcome.payoffs == {"Ann": 3, "Ben": -1}
        assert outcome.verify()
    loaded = shapley_coop.load_game("escape_room", {"prize": 20}, seed=3)
    outcome = await play("llm_only", game=loaded)
    assert (outcome["game"], outcome["seed"]) == ("escape_room", 3)


class Loaded(Tug):
    """Made with what is in no parameter."""

    def __init__(self, params: Any = None, seed: int = 0, prize: int = 3) -> None:
        super().__init__(params, seed)
        self.prize = prize

    def facts(self) -> dict[str, Any]:
        return {**super().facts(), "prize": self.prize}


async def test_a_game_that_could_not_be_built_again_is_refused() -> None:
    class Here(Tug):
        """No module has it."""

    for game, told in (
        (Here(), "Here is defined inside a function"),
        (Loaded(prize=5), "Loaded is not the same when it is built again"),
    ):
        with pytest.raises(ValueError, match=told):
            await play("llm_only", game=game, seats={"*": pulls})


# What comes of it


async def test_an_outcome_is_a_dictionary_with_attributes_and_a_table_for_notebooks() -> None:
    outcome = await play("shapley_coop", game="escape_room", seed=3)
    assert outcome["payoffs"] == outcome.payoffs == {"Alice": 4.5, "Bob": 4.5}
    assert outcome.contract
    assert outcome.contract.text() == outcome["contract"]["text"]
    assert outcome.credit["shapley"] == outcome["credit"]["shapley"]
    page = outcome._repr_html_()
    assert "<td>Alice</td><td>embedded:rational</td><td>4.5</td>" in page
    outcome["seats"]["Alice"] = "<script>"
    assert "<script>" not in outcome._repr_html_()
