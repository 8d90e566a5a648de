"""Embedded agents before one letter: they answer from it alone, and the same way every time."""

import asyncio
import json
import operator
import subprocess
import sys
from copy import deepcopy
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk, BaseMessage, HumanMessage

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message, scan
from shapley_coop.graphs.running import play
from shapley_coop.seats.embedded import CHARACTERS, EmbeddedChatModel
from shapley_coop.seats.letters import FACTS
from shapley_coop.state.run_config import RunConfig
from tests.root import ROOT
from tests.scripted import Script, told_in

CANNOT = "I cannot decide: the letter"

# A letter without a fact


@pytest.fixture(scope="module")
async def letters(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[BaseMessage]]:
    """One letter of each kind from one run between embedded agents; no test changes them."""
    # What is signed pays nothing, so that the split is still to be bargained over.
    seats = {"*": "embedded:rational"}
    script = Script()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COOP_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setattr("shapley_coop.seats.asking.chat_model", script.chat_model)
        await play("shapley_coop", RunConfig(seed=2, seats=seats, enforcement="notional"))
    return {act: messages for _, act, messages in script.letters}


def without(messages: list[BaseMessage], *path: str) -> list[BaseMessage]:
    """The letter with one of its facts taken out."""
    known = deepcopy(told_in(messages))
    inner = known
    for name in path[:-1]:
        inner = inner.get(name, {})
    inner.pop(path[-1], None)
    return with_known(messages, known)


def with_known(messages: list[BaseMessage], known: dict[str, Any]) -> list[BaseMessage]:
    """The letter with other facts beside its words."""
    beside = {**messages[-1].additional_kwargs, FACTS: known}
    return [*messages[:-1], HumanMessage(messages[-1].text, additional_kwargs=beside)]


def answer(messages: list[BaseMessage], agent: str = "Bob") -> str:
    return str(EmbeddedChatModel(agent=agent, seed=2).invoke(messages).text)


NEEDED = {
    "reason": ["ask", "you", "agents", "actions", "turn", "turns", "round", "rounds"],
    "propose": ["ask", "you", "agents", "actions", "turn", "turns"],
    "answer": ["ask", "you", "agents", "actions", "turn", "turns", "offer"],
    "act": ["ask", "you", "agents", "actions", "turn", "turns", "legal"],
    "claim": ["ask", "you", "agents"],
    "propose_split": ["ask", "you", "as_signed"],
    "answer_split": ["ask", "you", "as_signed", "offer"],
}


@pytest.mark.parametrize(("act", "fact"), [(a, f) for a, known in NEEDED.items() for f in known])
async def test_without_a_fact_that_it_needs_an_agent_cannot_decide(
    letters: dict[str, list[BaseMessage]], act: str, fact: str
) -> None:
    whole = answer(letters[act])
    assert CANNOT not in whole
    torn = without(letters[act], fact)
    assert fact not in told_in(torn)
    said = answer(torn)
    assert CANNOT in said
    assert "<PROPOSAL>" not in said
    assert "<ACTION>" not in said
    if fact != "ask":
        assert fact in said


@pytest.mark.parametrize(
    ("act", "path"),
    [
        ("answer", ("offer", "clauses")),
        ("answer_split", ("offer", "payoffs")),
        ("answer_split", ("offer", "payoffs", "Bob")),
        ("answer_split", ("computed", "payoffs")),
        ("propose_split", ("as_signed", "Alice")),
        ("act", ("actions", "Alice")),
    ],
    ids=str,
)
async def test_half_a_fact_is_none(
    letters: dict[str, list[BaseMessage]], act: str, path: tuple[str, ...]
) -> None:
    agent = told_in(letters[act])["you"]
    swapped = tuple(agent if name in ("Alice", "Bob") else name for name in path)
    assert CANNOT in answer(without(letters[act], *swapped), agent)


async def test_an_agent_does_not_guess_what_a_cell_pays(
    letters: dict[str, list[BaseMessage]],
) -> None:
    known = told_in(letters["reason"])
    known["payoffs"] = known["payoffs"][:-1]
    assert CANNOT in answer(with_known(letters["reason"], known))


def test_a_letter_that_is_no_letter_is_answered_all_the_same() -> None:
    for text in ("", "Hello.", "```json\n{}\n```", '```json\n{"ask": "dance"}\n```'):
        assert CANNOT in answer([HumanMessage(text)])


# The same letter, the same answer


async def test_the_answer_is_the_same_in_another_process(
    letters: dict[str, list[BaseMessage]], tmp_path: Path
) -> None:
    code = """
import json, sys
from langchain_core.messages import HumanMessage
from shapley_coop.seats.embedded import CHARACTERS, EmbeddedChatModel
letters = json.load(open(sys.argv[1]))
answers = {
    f"{act}/{name}": EmbeddedChatModel(character=name, agent="Bob", seed=2)
    .invoke([HumanMessage("", additional_kwargs={"facts": known})]).text
    for act, known in letters.items() for name in sorted(CHARACTERS)
}
json.dump(answers, sys.stdout)
"""
    path = tmp_path / "letters.json"
    path.write_text(json.dumps({act: told_in(ms) for act, ms in letters.items()}))
    here = {
        f"{act}/{name}": EmbeddedChatModel(character=name, agent="Bob", seed=2)
        .invoke(messages)
        .text
        for act, messages in letters.items()
        for name in sorted(CHARACTERS)
    }
    run = [sys.executable, "-c", code, str(path)]
    elsewhere = await asyncio.to_thread(
        subprocess.run, run, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert json.loads(elsewhere.stdout) == here
    assert len(set(here.values())) > len(letters)


@pytest.mark.parametrize("name", sorted(CHARACTERS))
async def test_every_character_answers_every_letter_and_is_mostly_understood(
    letters: dict[str, list[BaseMessage]], name: str
) -> None:
    model = EmbeddedChatModel(character=name, agent="Bob", seed=5)
    read = [scan(str(model.invoke(messages).text)) for messages in letters.values()]
    assert all(isinstance(found, Message | Fault) for found in read)
    faults = [found for found in read if isinstance(found, Fault)]
    assert len(faults) <= (6 if name == "sloppy" else 2)


# As a chat model


async def test_streaming_says_what_invoking_says_with_usage_and_a_last_chunk(
    letters: dict[str, list[BaseMessage]],
) -> None:
    for act, messages in letters.items():
        model = EmbeddedChatModel(agent="Bob", seed=2)
        whole = model.invoke(messages)
        pieces = list(model.stream(messages))
        later = [chunk async for chunk in model.astream(messages)]
        for chunks in (pieces, later):
            joined: AIMessageChunk = reduce(operator.add, chunks)
            assert joined.text == whole.text, act
            assert joined.usage_metadata == whole.usage_metadata
            assert [c.chunk_position for c in chunks if c.chunk_position] == ["last"]
            assert chunks[-1].chunk_position == "last"
            assert chunks[-1].usage_metadata is not None
            assert sum(c.usage_metadata is not None for c in chunks) == 1
        assert (await model.ainvoke(messages)).text == whole.text
