"""A program's own functions, models and graphs sit at the table; the record has none of them."""

import json
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt
from pydantic import BaseModel

from shapley_coop import Outcome, SeatError, Waiting, play, play_sync, resume
from shapley_coop.state.storage.checkpoints.savers import shared_saver
from shapley_coop.state.storage.home import home

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


async def test_a_name_alone_seats_nobody() -> None:
    with pytest.raises(ValueError, match=r"only a program can give an object as a seat"):
        await played(f"function:{__name__}:cooperates")


# What is refused, in one line


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (7, "Bob's seat: an object of class int is not a seat: give a function of (letter, facts)"),
        (Party, "Bob's seat: Party is a class: give an instance of it"),
        (
            StateGraph(MessagesState),
            "Bob's seat: an object of class StateGraph is not a seat: give a f",
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
        ({"game": 7}, "game: an object of class int is not a game: give a name, a payoff file"),
        ({"seats": {"Dan": cooperates, **OTHER}}, "a seat is given to Dan, who does not play"),
        ({"seats": {"Bob": cooperates}}, "there is no seat for Alice: give one, or give '*'"),
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
        (compiled(asks_somebody), "its graph stopped at an interrupt|it raised"),
        (
            lambda letter, facts: 7,
            "asked for act, it returned a value of class int: return tagged text",
        ),
    ],
)
async def test_what_gives_no_answer_stops_the_run_in_one_line(given: Any, told: str) -> None:
    with pytest.raises(SeatError, match=told) as stopped:
        await played(given)
    assert "\n" not in str(stopped.value)
    assert stopped.value.__context__ is None
    ours = [f for f in traceback.extract_tb(stopped.value.__traceback__) if f.filename != __file__]
    assert {Path(frame.filename).name for frame in ours} == {"front.py"}


async def test_unread_answers_of_a_function_are_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"Bob: 9 of 9 answers could not be used; `coop letters"):
        await played(lambda letter, facts: {"act": "cooperate"})
