"""The conversation that sets up a table, has it played, and explains the settlement."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.types import Command

from shapley_coop.extensions.chat import read
from shapley_coop.extensions.chat.page import build
from shapley_coop.extensions.chat.sentences import read_sentences
from shapley_coop.extensions.chat.words import spoken
from shapley_coop.seats.seat import Seat
from shapley_coop.state.storage.checkpoints.savers import shared_saver
from shapley_coop.state.storage.home import home
from tests.prompts.test_hidden_text import FORGED
from tests.stub_openai import StubOpenAI

DISHES = "let Ann and Ben bargain over who does the dishes; Ann hates it"
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


async def test_a_sentence_becomes_a_table_a_talk_and_a_settlement() -> None:
    async with talk("dishes") as chat:
        (table,) = await chat.say(DISHES)
        assert "| do the dishes | leave it | 2 | 10 |" in table
        assert "No language model read this" in table
        asked = await chat.asked()
        (action,), (config,) = asked["action_requests"], asked["review_configs"]
        assert config["action_name"] == action["name"] == "play"
        assert config["allowed_decisions"] == ["approve", "edit", "respond", "reject"]
        assert action["args"]["agents"] == ["Ann", "Ben"]
        told = await chat.decide(APPROVED)
        assert told[0].startswith("**Ann**: ")
        assert "What was done: Ann: leave it, Ben: do the dishes." in told
        assert "In the end Ann has 10, Ben has 6." in told[-1]
        assert "A simulation" in told[-1]
        state = await chat.state()
        assert state.next == ()
        kept = state.values["messages"]
        assert [str(m.content) for m in kept[2:]] == told
        assert all(m.id for m in kept)
        assert len({m.id for m in kept}) == len(kept)
        episode, outcome = state.values["episode"], state.values["outcome"]
        assert home().ledger.balances(episode)["Ben"] == 6_000_000
        assert outcome["ledger"] == "paid"


async def test_what_is_missing_is_asked_back_and_the_next_message_goes_on() -> None:
    async with talk("missing") as chat:
        assert "Who bargains with whom?" in (await chat.say("hello"))[0]
        assert "Over what do Ann and Ben" in (await chat.say("let Ann and Ben bargain"))[0]
        assert "Shall Cem take part?" in (await chat.say("over who cooks. Cem hates it"))[0]
        assert (await chat.state()).next == ()
        everybody = "let Ann, Ben and Cem bargain over who cooks"
        assert "Ann, Ben, Cem choose" in (await chat.say(everybody))[0]
        assert (await chat.asked())["action_requests"][0]["args"]["agents"] == ["Ann", "Ben", "Cem"]


async def test_instead_of_a_decision_one_may_say_what_to_change() -> None:
    async with talk("change") as chat:
        await chat.say(DISHES)
        words = {"decisions": [{"type": "respond", "message": "it costs Ben 9 and Ann likes it"}]}
        said, table = await chat.decide(words)
        assert said == words["decisions"][0]["message"]
        assert "| do the dishes | leave it | 10 | 10 |" in table
        assert "| leave it | do the dishes | 10 | 1 |" in table
        (changed,) = await chat.say("it is worth 20 to each")
        assert "| leave it | do the dishes | 20 | 11 |" in changed
        told = await chat.say("yes")
        assert "What was done: Ann: do the dishes, Ben: leave it." in told


async def test_the_table_can_be_edited_and_what_cannot_be_played_is_asked_again() -> None:
    async with talk("edit") as chat:
        await chat.say(DISHES)
        args = (await chat.asked())["action_requests"][0]["args"]
        broken = {**args, "payoffs": args["payoffs"][:2]}

        def edit(given: Any) -> Any:
            return {
                "decisions": [{"type": "edit", "edited_action": {"name": "play", "args": given}}]
            }

        assert "payoffs miss" in (await chat.decide(edit(broken)))[0]
        assert "I could not read that decision" in (await chat.decide({"decisions": []}))[0]
        kinder = [{**cell, "pays": [x + 5 for x in cell["pays"]]} for cell in args["payoffs"]]
        told = await chat.decide(edit({**args, "payoffs": kinder}))
        assert "In the end Ann has 15, Ben has 11." in told[-1]


@pytest.mark.parametrize("reply", [{"decisions": [{"type": "reject"}]}, {"type": "reject"}])
async def test_a_table_that_is_rejected_is_not_played(reply: Any) -> None:
    async with talk(f"reject{len(reply)}{'type' in reply}") as chat:
        await chat.say(DISHES)
        assert (await chat.decide(reply))[0].startswith("Nothing is played.")
        state = await chat.state()
        assert (state.next, state.values["game"]) == ((), None)


async def test_two_tables_in_a_row_are_two_episodes_and_a_fork_pays_nothing_twice() -> None:
    async with talk("fork") as chat:
        await chat.say(DISHES)
        before = (await chat.state()).config
        await chat.decide(APPROVED)
        first = (await chat.state()).values["episode"]
        await chat.say("let Cem and Dan bargain over who cooks")
        await chat.decide(APPROVED)
        assert (await chat.state()).values["episode"] != first
        paid = home().ledger.lines(first)
        forked = await chat._app.ainvoke(Command(resume=APPROVED), before)
        assert forked["episode"] == first
        assert forked["outcome"]["ledger"] == "paid"
        assert home().ledger.lines(first) == paid


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
    }
    reader = Reader({**whole, "payoffs": cells[:3]}, whole, {"question": "Who goes out?"})
    monkeypatch.setattr(read, "chat_model", lambda *_, **__: reader)
    async with talk("model") as chat:
        (table,) = await chat.say("Film or match for Ann and Ben?", model="openai:any")
        assert "payoffs miss" in reader.heard[1]
        assert "| film | match | 3 | 1 |" in table
        assert "Assumed, as nobody said so: all numbers." in table
        assert "No language model" not in table
        (asked,) = await chat.say("Let us begin anew", model="openai:any")
        assert asked == "Who goes out?"


async def test_the_schema_that_a_model_is_held_to_has_no_defaults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    none = {"name": "", "about": "", "agents": [], "choices": [], "payoffs": [], "assumed": []}
    answer = json.dumps({"question": "Who goes out?", **none})
    with StubOpenAI(lambda *_: answer) as stub:
        seat = Seat(model="openai:gpt-5-mini", base_url=stub.base_url)
        found, _ = await read.understood([HumanMessage("Film or match?")], seat)
        form = stub.requests[0].body["response_format"]["json_schema"]
    assert found.question == "Who goes out?"
    assert form["strict"] is True
    assert '"default"' not in json.dumps(form)


@pytest.mark.parametrize(
    ("text", "agents", "task", "costs"),
    [
        (DISHES, ["Ann", "Ben"], "do the dishes", [8, 4]),
        ("Ann and Ben should decide who will cook. Both hate it", ["Ann", "Ben"], "cook", [8, 8]),
        (
            "Have Ann, Ben and Cem decide who takes out the bins. Ben doesn't mind. It costs Cem 7",
            ["Ann", "Ben", "Cem"],
            "take out the bins",
            [4, 2, 7],
        ),
        (
            "Let Ann and Ben talk about who cooks, but Ann does not like it",
            ["Ann", "Ben"],
            "cook",
            [6, 4],
        ),
    ],
)
def test_plain_sentences_are_read(
    text: str, agents: list[str], task: str, costs: list[float]
) -> None:
    found = read_sentences(text)
    assert (found.agents, found.task) == (agents, task)
    assert list(found.costs.values()) == costs


async def test_messages_of_agents_are_no_markup_and_have_names() -> None:
    async with talk("names") as chat:
        await chat.say(DISHES)
        await chat.decide(APPROVED)
        said = [m for m in (await chat.state()).values["messages"] if m.name]
        assert {m.name for m in said} == {"Ann", "Ben", "table"}
        assert all(isinstance(m, AIMessage) for m in said)


def test_what_an_agent_says_stays_one_line() -> None:
    talk: list[Any] = [{"id": "m1", "by": "Eve", "act": "propose", "text": "\n".join(FORGED)}]
    ((_, _, told),) = spoken({"talk": talk})
    assert "\n" not in told
