"""Canaries: what is private is found with its owner and the operator, and nowhere else.

Every secret, every private thought, every refused draft and every key of a run holds a word of its
own. The run is then searched for each of them, wherever somebody else could look.
"""

import contextlib
import dataclasses
import json
import logging
import traceback
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from shapley_coop.graphs import builder
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow, play
from shapley_coop.seats.endpoint import KEYS
from shapley_coop.seats.letters import as_text
from shapley_coop.seats.seat import SeatError
from shapley_coop.state.result import result
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.checkpoints.serializer import StrictSerializer
from shapley_coop.state.storage.home import home
from tests.scripted import Script

AGENTS = ("Alice", "Bob")
ACTS = ("reason", "propose", "answer", "act", "claim", "propose_split", "answer_split")
MODES = ("values", "updates", "custom", "messages", "tasks", "checkpoints", "debug")
CONFIG: RunnableConfig = {"configurable": {"thread_id": "t"}}


@dataclasses.dataclass(frozen=True)
class Canary:
    """A word that only `owner` may know, and how it came to know it."""

    owner: str
    place: str

    @property
    def word(self) -> str:
        return f"canary-{self.owner}-{self.place}-7Q".lower()


def words(owner: str, *places: str) -> str:
    return " ".join(Canary(owner, place).word for place in places)


NEVER_ASKED = {("Bob", "propose"), ("Bob", "propose_split"), ("Alice", "answer_split")}
TOLD = [Canary(agent, f"told{n}") for agent in AGENTS for n in range(4)]
THOUGHT = [
    Canary(agent, f"{act}-{where}")
    for agent in AGENTS
    for act in ACTS
    for where in ("consider", "outside")
    if (agent, act) not in NEVER_ASKED
]
REFUSED = [Canary(agent, f"refused-{part}") for agent in AGENTS for part in ("speech", "deal")]
SEALED = [Canary(agent, "sealed") for agent in AGENTS]
KEYS_SET = [Canary("nobody", variable) for variable in KEYS.values()]
PRIVATE = [*TOLD, *THOUGHT, *REFUSED, *SEALED]

DEAL = {
    "clauses": [
        {"kind": "do", "agent": "Alice", "action": "lever"},
        {"kind": "do", "agent": "Bob", "action": "door"},
        {"kind": "pay", "payer": "Bob", "payee": "Alice", "amount": 5},
    ]
}
RESULTS = "\nCollective payoff: 9\nExternality: +\nPrice: 5.5\n"
SPLIT = {"clauses": [{"kind": "share", "norm": "shapley"}]}


@pytest.fixture(autouse=True)
def _canaries(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put every canary in its place."""
    for canary in KEYS_SET:
        monkeypatch.setenv(canary.place, canary.word)
    folder = home().secrets
    folder.mkdir(parents=True)
    lines = [f"{agent}: {words(agent, *(f'told{n}' for n in range(4)))}\n" for agent in AGENTS]
    (folder / "nest.yaml").write_text("".join(lines))
    said = {
        "reason": "",
        "propose": f"<s>I propose.</s><PROPOSAL>{json.dumps(DEAL)}</PROPOSAL>",
        "answer": f"<s>No.</s><REJECT><PROPOSAL>{json.dumps(DEAL)}</PROPOSAL>",
        "claim": "<s>Half.</s><CLAIM>1/2</CLAIM>",
        "propose_split": f"<s>By the record.</s><PROPOSAL>{json.dumps(SPLIT)}</PROPOSAL>",
        "answer_split": "<s>Yes.</s><ACCEPT>",
    }
    for agent, action in zip(AGENTS, ("lever", "door"), strict=True):
        sealed = words(agent, "sealed")
        said["act"] = f"<s>{sealed}</s><ACTION>{action}</ACTION>"
        for act in ACTS:
            inner, outer = words(agent, f"{act}-consider"), words(agent, f"{act}-outside")
            inner += RESULTS if act == "reason" else ""
            script[agent, act] = f"{outer}<CONSIDER>{inner}</CONSIDER>{said[act]}"
    for agent, act in (("Alice", "propose"), ("Bob", "answer")):
        stranger = {"kind": "do", "agent": words(agent, "refused-deal"), "action": "lever"}
        draft = json.dumps({"clauses": [stranger]})
        speech = words(agent, "refused-speech")
        sound = script.lines[agent, act][0]
        refused = f"<s>{speech}</s><PROPOSAL>{draft}</PROPOSAL>"
        script[agent, act] = [f"<REJECT>{refused}" if act == "answer" else refused, sound]
    script["Alice", "answer"] = script.lines["Alice", "answer"][0].replace(  # type: ignore[union-attr]
        said["answer"], "<s>Yes.</s><ACCEPT>"
    )


def found_in(where: str, *, whose: list[Canary]) -> set[str]:
    """The canaries that a text holds, in any case."""
    text = where.lower()
    return {canary.word for canary in whose if canary.word.lower() in text}


def every_word(value: Any) -> str:
    """All that can be read off a value, object or not."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return every_word({f.name: getattr(value, f.name) for f in dataclasses.fields(value)})
    if isinstance(value, dict):
        return " ".join(f"{every_word(k)} {every_word(v)}" for k, v in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return " ".join(every_word(item) for item in value)
    if isinstance(value, BaseException):
        return "".join(traceback.format_exception(value)) + repr(value)
    return f"{value} {value!r}"


@pytest.fixture
def app() -> CompiledStateGraph[Any, Any, Any, Any]:
    return builder("shapley_coop").compile(checkpointer=InMemorySaver(serde=StrictSerializer()))


async def streamed(
    app: CompiledStateGraph[Any, Any, Any, Any], **options: Any
) -> AsyncIterator[tuple[str, Any]]:
    """Everything that a run streams: the mode, and what came."""
    given = {"room": RunConfig(secrets="nest").model_dump(mode="json")}
    async for part in app.astream(
        given, CONFIG, context=RunConfig(), stream_mode=list(MODES), durability="sync", **options
    ):
        yield part[-2:]


def test_there_are_canaries_enough() -> None:
    assert len({canary.word for canary in [*PRIVATE, *KEYS_SET]}) >= 20
    assert len(PRIVATE) >= 20


async def test_every_canary_is_in_its_place(script: Script) -> None:
    """Without this, the other tests could pass on a run that holds no secret at all."""
    outcome = await play("shapley_coop", RunConfig(secrets="nest"))
    assert outcome["status"] == "agreed"
    assert outcome["payoffs"] == {"Alice": 4.5, "Bob": 4.5}
    kept = list(home().journal.entries(outcome["episode"]))
    for canary in PRIVATE:
        own = [e for e in kept if e.agent == canary.owner]
        assert any(canary.word in f"{e.letter_text} {e.answer.text}" for e in own), canary
    for canary in TOLD:
        assert all(canary.word in letter for letter in script.shown_to(canary.owner))


async def test_no_agent_reads_what_another_was_told_or_thought(script: Script) -> None:
    await play("shapley_coop", RunConfig(secrets="nest"))
    assert Counter(agent for agent, _, _ in script.letters) == {
        "Alice": 7,
        "Bob": 6,
        "summariser": 1,
    }
    for agent, _, messages in script.letters:
        foreign = [canary for canary in [*PRIVATE, *KEYS_SET] if canary.owner != agent]
        assert found_in(as_text(messages), whose=foreign) == set()


async def test_no_stream_of_the_table_tells_a_secret(
    app: CompiledStateGraph[Any, Any, Any, Any],
) -> None:
    parts: dict[str, list[Any]] = {mode: [] for mode in MODES}
    async for mode, part in streamed(app):
        parts[mode].append(part)
    for mode in ("values", "updates", "tasks", "checkpoints", "debug"):
        assert len(parts[mode]) > 10, f"{mode} streams nothing that could leak"
    for mode, came in parts.items():
        assert found_in(every_word(came), whose=[*PRIVATE, *KEYS_SET]) == set(), mode


async def test_no_stream_with_subgraphs_tells_a_secret(
    app: CompiledStateGraph[Any, Any, Any, Any],
) -> None:
    """There are no subgraphs in which a draft could be seen."""
    came = [part async for part in streamed(app, subgraphs=True)]
    assert len(came) > 10
    assert found_in(every_word(came), whose=[*PRIVATE, *KEYS_SET]) == set()


async def test_the_operators_view_does_show_what_agents_think(
    app: CompiledStateGraph[Any, Any, Any, Any],
) -> None:
    """The search is able to find: events of the models themselves hold every thought."""
    given = {"room": RunConfig(secrets="nest").model_dump(mode="json")}
    config: Any = {**CONFIG, "recursion_limit": 100}
    events = app.astream_events(given, config, context=RunConfig(), version="v2")
    came = [event async for event in events]
    assert len(found_in(every_word(came), whose=THOUGHT)) == len(THOUGHT)


async def test_the_shared_state_and_its_history_hold_no_secret(
    app: CompiledStateGraph[Any, Any, Any, Any],
) -> None:
    async for _ in streamed(app):
        pass
    table = (await app.aget_state(CONFIG)).values
    assert table["status"] == "agreed"
    history = [snapshot async for snapshot in app.aget_state_history(CONFIG)]
    assert len(history) > 10
    for held in ([table], [list(snapshot) for snapshot in history]):
        assert found_in(every_word(held), whose=[*PRIVATE, *KEYS_SET]) == set()
    outcome = result("r", "shapley_coop", table)
    assert found_in(json.dumps(outcome), whose=[*PRIVATE, *KEYS_SET]) == set()


async def test_registers_ledger_and_terminal_hold_no_secret(
    capfd: pytest.CaptureFixture[str],
) -> None:
    outcome = await play("shapley_coop", RunConfig(secrets="nest"))
    books = every_word([home().runs.list(), home().ledger.lines(outcome["episode"])])
    assert outcome["run"] in books
    for held in (books, "".join(capfd.readouterr())):
        assert found_in(held, whose=[*PRIVATE, *KEYS_SET]) == set()


@pytest.mark.parametrize("fails", [False, True], ids=["sound run", "failing run"])
async def test_no_log_holds_a_secret_at_any_level(
    script: Script, caplog: pytest.LogCaptureFixture, fails: bool
) -> None:
    if fails:
        script["Bob", "act"] = RuntimeError(" ".join(canary.word for canary in PRIVATE))
    with caplog.at_level(logging.DEBUG), contextlib.suppress(SeatError):
        logging.getLogger("tests").debug("the log is heard")
        await play("shapley_coop", RunConfig(secrets="nest"))
    assert "the log is heard" in caplog.text
    assert len(script.letters) >= 8
    held = every_word([vars(record) for record in caplog.records])
    assert found_in(held, whose=[*PRIVATE, *KEYS_SET]) == set()


FAILURES = [
    RuntimeError,
    ValueError,
    KeyError,
    TimeoutError,
    ConnectionError,
]


@pytest.mark.parametrize("kind", FAILURES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("act", ["reason", "answer", "act"])
async def test_a_seat_that_fails_with_a_secret_on_its_lips_tells_none(
    script: Script, kind: type[Exception], act: str
) -> None:
    every = " ".join(canary.word for canary in [*PRIVATE, *KEYS_SET])
    script["Bob", act] = kind(f"Incorrect API key provided: {every}")
    run = prepare("shapley_coop", RunConfig(secrets="nest"))
    heard: list[Any] = []
    with pytest.raises(SeatError) as failure:
        await follow(run, lambda node, written: heard.append((node, written)))
    assert str(failure.value).startswith("Bob's seat (embedded:rational) did not answer: ")
    assert failure.value.__cause__ is None
    assert failure.value.__context__ is None
    told = every_word([failure.value, heard, home().runs.list()])
    assert found_in(told, whose=[*PRIVATE, *KEYS_SET]) == set()


async def test_the_stream_of_a_failing_run_tells_no_secret(
    script: Script, app: CompiledStateGraph[Any, Any, Any, Any]
) -> None:
    script["Bob", "act"] = RuntimeError(" ".join(canary.word for canary in PRIVATE))
    came: list[Any] = []

    async def listen() -> None:
        async for part in streamed(app):
            came.append(part)

    with pytest.raises(SeatError):
        await listen()
    assert len(came) > 10
    snapshot = await app.aget_state(CONFIG)
    assert any(task.error for task in snapshot.tasks)
    told = every_word([came, list(snapshot)])
    assert found_in(told, whose=[*PRIVATE, *KEYS_SET]) == set()


async def test_a_secrets_file_that_cannot_be_read_is_not_quoted() -> None:
    (home().secrets / "broken.yaml").write_text(f"Alice: [{TOLD[0].word}\n")
    (home().secrets / "list.yaml").write_text(f"- {TOLD[0].word}\n")
    for name in ("broken", "list", "gone"):
        with pytest.raises(ValueError, match=name) as refusal:
            prepare("shapley_coop", RunConfig(secrets=name))
        assert found_in(every_word(refusal.value), whose=TOLD) == set()
        assert "\n" not in str(refusal.value)
