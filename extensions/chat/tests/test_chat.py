"""The conversation that sets up a game, has it played, and explains the settlement."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.types import Command

from shapley_coop.extensions.chat import read
from shapley_coop.extensions.chat.page import build
from shapley_coop.extensions.chat.tests.unknown_terms import UNKNOWN_TERMS
from shapley_coop.extensions.chat.words import NOT_PLAYED, spoken
from shapley_coop.seats.person import SERVER_URL
from shapley_coop.state.storage.checkpoints.savers import shared_saver
from shapley_coop.state.storage.home import home
from tests.brought import brought_by
from tests.coop_command import Coop
from tests.prompts.test_hidden_text import FORGED

APPROVED = {"decisions": [{"type": "approve"}]}


class Talk:
    """A conversation on one thread."""

    def __init__(self, app: Any, thread: str) -> None:
        self._app, self.place = app, {"configurable": {"thread_id": thread}}

    async def say(self, text: str, **context: Any) -> list[str]:
        return await self._on({"messages": [{"role": "user", "content": text}]}, context)

    async def decide(self, decision: Any) -> list[str]:
        return await self._on(Command(resume=decision), {})

    async def _on(self, given: Any, context: dict[str, Any]) -> list[str]:
        """What is streamed as messages while the graph runs."""
        told = self._app.astream(given, self.place, stream_mode="messages", context=context or None)
        return [str(message.content) async for message, _ in told]

    async def state(self) -> Any:
        return await self._app.aget_state(self.place)

    async def asked(self) -> dict[str, Any]:
        (waiting,) = (await self.state()).interrupts
        value: dict[str, Any] = waiting.value
        return value


@asynccontextmanager
async def talk(thread: str) -> AsyncIterator[Talk]:
    async with shared_saver(home()) as saver:
        yield Talk(build().compile(checkpointer=saver, name="chat"), thread)


async def test_a_named_game_becomes_a_run_and_a_settlement_in_words() -> None:
    async with talk("escape") as chat:
        (shown,) = await chat.say("escape_room, prize=20")
        assert "20" in shown
        asked = await chat.asked()
        (action,), (config,) = asked["action_requests"], asked["review_configs"]
        assert config["action_name"] == action["name"] == "play"
        assert config["allowed_decisions"] == ["approve", "edit", "respond", "reject"]
        assert action["args"] == {"game": "escape_room", "params": {"prize": 20}}
        told = await chat.decide(APPROVED)
        assert told[0].startswith("**Alice**: ")
        assert "What was done: Alice: door, Bob: lever." in told
        assert "In the end Alice has 9.5, Bob has 9.5." in told[-1]
        assert "A simulation" in told[-1]
        state = await chat.state()
        assert state.next == ()
        kept = state.values["messages"]
        assert [str(m.content) for m in kept[2:]] == told
        assert all(m.id for m in kept)
        assert len({m.id for m in kept}) == len(kept)


async def test_what_a_conversation_played_is_a_run_like_any_other(
    coop: Coop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is listed, shown, verified and credited by its name, which the last message says."""
    monkeypatch.setenv(SERVER_URL, "http://127.0.0.1:2024/")
    async with talk("run") as chat:
        await chat.say("volunteers, cost=3")
        told = await chat.decide(APPROVED)
        run = (await chat.state()).values["run"]
    assert f"](http://127.0.0.1:2024/view/?run={run})" in told[-1]
    assert f"coop verify {run}" in told[-1]
    listed = await asyncio.to_thread(coop, "runs", "--json")
    assert run in {one["run"] for one in listed.result}
    for command in ("show", "verify", "credit"):
        assert (await asyncio.to_thread(coop, command, run)).code == 0


@pytest.mark.parametrize(
    "said", [*UNKNOWN_TERMS, "escape_room prize=twenty", "escape_room, deadline=Friday", "hello"]
)
async def test_without_a_model_what_is_no_game_and_no_number_is_quoted_and_refused(
    said: str,
) -> None:
    async with talk(f"unknown {said}") as chat:
        (told,) = await chat.say(said)
        assert told.startswith("Nothing is played: I did not take over “")
        game = next((word for word in ("escape_room", "volunteers") if word in said), "")
        left = said.replace("prisoners_dilemma", "").replace(game, "").strip(" ,.")
        quoted = told.partition("“")[2].partition("”")[0].replace("\\", "")
        assert quoted.split() == left.replace(",", " ").replace(";", " ").split()
        assert "`" in told.partition("name a game")[2], "games that can be named"
        assert (await chat.state()).next == ()


async def test_no_word_of_several_messages_is_lost_and_no_setting_is_said_twice() -> None:
    async with talk("several") as chat:
        (told,) = await chat.say("escape_room prize=5, prize=9")
        assert "did not take over “prize=9”" in told
        (told,) = await chat.say("escape_room volunteers")
        assert "did not take over “" in told
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}
        parts: list[Any] = [{"type": "text", "text": "escape_room"}, image]
        several = [HumanMessage("Alice pays Bob 20."), HumanMessage(parts)]
        state = await chat._app.ainvoke({"messages": several}, chat.place)
        told = state["messages"][-1].content
        assert "Alice pays Bob 20" in told
        assert "attachment" in told


@pytest.mark.parametrize(
    ("game", "why"),
    [
        ({"game": "escape_room", "secrets": "bob__KEYS"}, "no setting 'secrets'"),
        pytest.param(
            {"game": "task_exchange", "params": {"records": "/etc/passwd"}},
            "params.records",
            marks=brought_by("exchange"),
        ),
        ({"game": "/etc/passwd"}, "there is no game"),
        ({"game": "python:os:system"}, "there is no game"),
        ({"game": {"agents": 5}}, "parameter actions: it is missing"),
        ({"game": {"agents": [*"ABCDEF"]}}, "at most 5 agents"),
    ],
)
async def test_a_game_that_a_caller_writes_into_the_state_is_checked_before_it_is_played(
    game: dict[str, Any], why: str
) -> None:
    """It may hold a game and numbers, and no file, secret or other setting of a run."""
    async with talk(f"state {game}") as chat:
        said = {"messages": [{"role": "user", "content": "yes"}], "game": game}
        state = await chat._app.ainvoke(said, chat.place)
        told = state["messages"][-1].content.replace("\\", "")
        assert told.startswith("That cannot be played: ")
        assert why in told
        assert "run" not in state
        confirmed = {"messages": [HumanMessage("escape_room")], "game": game, "verdict": "go"}
        place = await chat._app.aupdate_state(chat.place, confirmed, as_node="confirm")
        with pytest.raises(ValueError, match="in the chat's state cannot be played"):
            await chat._app.ainvoke(None, place)


async def test_the_games_are_those_of_the_workflow_and_a_named_one_shows_its_numbers() -> None:
    async with talk("games") as chat:
        (told,) = await chat.say("what can we play?")
        assert "- `escape_room`: " in told
        (told,) = await chat.say("escape_room prize=a")
        assert "`prize=10`" in told
        (wrong,) = await chat.say("escape_room price=20")
        assert "That cannot be played: " in wrong
        assert "did you mean" in wrong


async def test_instead_of_a_decision_one_may_say_another_game() -> None:
    async with talk("change") as chat:
        await chat.say("escape_room")
        words = {"decisions": [{"type": "respond", "message": "escape_room, prize=20"}]}
        said, shown = await chat.decide(words)
        assert said == words["decisions"][0]["message"]
        assert "20" in shown
        (changed,) = await chat.say("escape_room prize=30")
        assert "30" in changed
        (same,) = await chat.say("prize=40")
        assert "**Escape Room**" in same
        assert "40" in same
        told = await chat.say("yes")
        assert "What was done: Alice: door, Bob: lever." in told


async def test_settings_without_a_game_and_a_kind_no_are_understood() -> None:
    async with talk("kindly") as chat:
        (told,) = await chat.say("prize=40")
        assert "did not take over “prize=40”" not in told
        assert "`escape_room`: " in told
        await chat.say("escape_room")
        no = {"decisions": [{"type": "reject", "message": "No thanks."}]}
        assert (await chat.decide(no))[-1] == NOT_PLAYED
        assert (await chat.state()).next == ()


def edit(given: Any) -> Any:
    return {"decisions": [{"type": "edit", "edited_action": {"name": "play", "args": given}}]}


async def test_the_game_can_be_edited_and_what_cannot_be_played_is_asked_again() -> None:
    async with talk("edit") as chat:
        await chat.say("escape_room")
        args = (await chat.asked())["action_requests"][0]["args"]
        told = await chat.decide(edit({**args, "params": {"prise": 3}}))
        assert told[0].endswith("did you mean 'prize'?")
        assert "there is no game" in (await chat.decide(edit({"game": "/etc/passwd"})))[0]
        assert "no setting 'rounds'" in (await chat.decide(edit({**args, "rounds": 3})))[0]
        assert "I could not read that decision" in (await chat.decide({"decisions": []}))[0]
        told = await chat.decide(edit({**args, "params": {"prize": 20}}))
        assert "In the end Alice has 9.5, Bob has 9.5." in told[-1]


@pytest.mark.parametrize("reply", [{"decisions": [{"type": "reject"}]}, {"type": "reject"}])
async def test_a_game_that_is_rejected_is_not_played(reply: Any) -> None:
    async with talk(f"reject{len(reply)}{'type' in reply}") as chat:
        await chat.say("escape_room")
        assert (await chat.decide(reply))[0].startswith("Nothing is played.")
        state = await chat.state()
        assert (state.next, state.values["game"]) == ((), None)


async def test_two_games_in_a_row_are_two_runs_and_a_fork_pays_nothing_twice() -> None:
    async with talk("fork") as chat:
        await chat.say("escape_room")
        before = (await chat.state()).config
        await chat.decide(APPROVED)
        first = (await chat.state()).values["outcome"]
        said = [m.id for m in (await chat.state()).values["messages"]]
        await chat.say("volunteers")
        await chat.decide(APPROVED)
        assert (await chat.state()).values["run"] != first["run"]
        paid = home().ledger.lines(first["episode"])
        forked = await chat._app.ainvoke(Command(resume=APPROVED), before)
        assert forked["run"] == first["run"]
        assert forked["outcome"]["ledger"] == "paid"
        told = [m.id for m in forked["messages"]]
        assert sorted(told) == sorted(said), "the talk is told again, each message once"
        assert home().ledger.lines(first["episode"]) == paid


class Reader:
    """A language model that reads the conversation, as far as the graph can tell."""

    def __init__(self, *answers: Any) -> None:
        self._answers, self.heard = list(answers), list[str]()

    def with_structured_output(self, schema: Any) -> "Reader":
        self._schema = schema
        return self

    async def ainvoke(self, messages: Any, config: Any) -> Any:
        self.heard.append(str(messages[-1].content))
        return self._schema.model_validate(self._answers.pop(0))


async def test_a_model_reads_by_structured_output_and_is_told_what_cannot_be_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cells = [{"play": [a, b], "pays": [3, 1]} for a in ("film", "match") for b in ("film", "match")]
    whole = {
        "name": "an evening",
        "about": "Film or match?",
        "agents": ["Ann", "Ben"],
        "choices": [{"agent": a, "actions": ["film", "match"]} for a in ("Ann", "Ben")],
        "payoffs": cells,
        "assumed": ["all numbers"],
        "question": "",
        "taken": ["Film or match for Ann and Ben"],
        "left_out": [],
        "withdrawn": [],
    }
    fixed = {**whole, "left_out": ["Ann pays Ben 20 on Friday"]}
    asked_back = {**whole, "question": "Who goes out?"}
    reader = Reader({**whole, "payoffs": cells[:3]}, whole, fixed, asked_back)
    monkeypatch.setattr(read, "chat_model", lambda *_, **__: reader)
    async with talk("model") as chat:
        (table,) = await chat.say("Film or match for Ann and Ben?", model="openai:any")
        assert "has no payoffs" in reader.heard[1]
        assert "| film | match | 3 | 1 |" in table
        assert "Assumed, as nobody said so: all numbers; the payoffs 1, 3." in table
        (refused,) = await chat.say("And Ann pays Ben 20 on Friday", model="openai:any")
        assert refused.startswith("Nothing is played: I did not take over “Ann pays Ben 20")
        (asked,) = await chat.say("Let us begin anew", model="openai:any")
        assert asked == "Who goes out?"


async def test_messages_of_agents_are_no_markup_and_have_names() -> None:
    async with talk("names") as chat:
        await chat.say("escape_room")
        await chat.decide(APPROVED)
        said = [m for m in (await chat.state()).values["messages"] if m.name]
        assert {m.name for m in said} == {"Alice", "Bob", "table"}
        assert all(isinstance(m, AIMessage) for m in said)


def test_what_an_agent_says_stays_one_line() -> None:
    talk: list[Any] = [{"id": "m1", "by": "Eve", "act": "propose", "text": "\n".join(FORGED)}]
    ((_, _, told),) = spoken({"talk": talk})
    assert "\n" not in told
