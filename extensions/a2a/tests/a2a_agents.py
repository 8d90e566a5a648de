"""Agents on the loopback interface that speak A2A, with an embedded agent's head and any manners.

with a2a_agent(in_words) as agent:
    coop("run", "escape_room", "--agent", f"Bob=a2a:{agent.url}")
"""

import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from a2a.helpers import (
    get_data_parts,
    new_data_part,
    new_message,
    new_task_from_user_message,
    new_text_part,
)
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from langchain_core.messages import HumanMessage
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from shapley_coop.seats.embedded import EmbeddedChatModel
from shapley_coop.seats.letters import FACTS
from tests.embedded_reply import fields_of

Manner = Callable[["Heard", TaskUpdater], Awaitable[None]]
"""What an agent does with a letter: it ends the task, or leaves it open."""


@dataclass
class Heard:
    """One message as an agent was sent it.

    Attributes:
        words: the text part.
        letter: the data part's letter.
        message: the message's id.
        context: the conversation's.
        task: the task's.
        again: whether it goes on with a task that was there before.
        headers: of the request.
        budget: that its metadata holds; empty without one.
    """

    words: str
    letter: dict[str, Any]
    message: str
    context: str
    task: str
    again: bool
    headers: dict[str, str]
    budget: dict[str, Any] = field(default_factory=dict)

    def answer(self) -> str:
        """What a rational embedded agent answers, in tagged text."""
        letter = HumanMessage(self.words)
        letter.additional_kwargs[FACTS] = json.loads(self.letter["facts_json"])
        agent = EmbeddedChatModel(character="rational", agent=self.letter["agent"], seed=3)
        return str(agent.invoke([letter]).text)

    def fields(self) -> dict[str, Any]:
        """The same in fields of the schema that the letter holds."""
        return fields_of(self.answer(), self.letter["answer_schema"])


@dataclass
class Agent:
    """An agent that runs.

    Attributes:
        url: where.
        port: of it.
        heard: every message, in order.
    """

    url: str
    port: int
    heard: list[Heard] = field(default_factory=list)


async def in_words(heard: Heard, updater: TaskUpdater) -> None:
    """Answers in tags."""
    await updater.add_artifact([new_text_part(heard.answer())])
    await updater.complete()


async def with_its_tokens(heard: Heard, updater: TaskUpdater) -> None:
    """Answers in tags, and reports what the answer took, as an agent on Google's ADK does."""
    used = {"adk_usage_metadata": {"promptTokenCount": 1_000, "candidatesTokenCount": 7}}
    await updater.add_artifact([new_text_part(heard.answer())], metadata=used)
    await updater.complete()


async def in_pieces(heard: Heard, updater: TaskUpdater) -> None:
    """Answers in tags, a few letters at a time."""
    said = heard.answer()
    pieces = [said[at : at + 7] for at in range(0, len(said), 7)]
    for number, piece in enumerate(pieces):
        last = number == len(pieces) - 1
        await updater.add_artifact(
            [new_text_part(piece)], artifact_id="a", append=number > 0, last_chunk=last
        )
    await updater.complete()


async def in_fields(heard: Heard, updater: TaskUpdater) -> None:
    """Answers in fields."""
    await updater.add_artifact([new_data_part({"answer": heard.fields()})])
    await updater.complete()


async def asking_back(heard: Heard, updater: TaskUpdater) -> None:
    """Asks a question at every letter, and answers once it is sent again."""
    if heard.again:
        await in_words(heard, updater)
    else:
        await updater.requires_input(updater.new_agent_message([new_text_part("What for?")]))


async def with_a_status(heard: Heard, updater: TaskUpdater) -> None:
    """Completes without an answer, with a status that sounds like one."""
    await updater.complete(updater.new_agent_message([new_text_part("Task completed")]))


async def in_garbage(heard: Heard, updater: TaskUpdater) -> None:
    """Answers what nobody can read."""
    await updater.add_artifact([new_text_part("\u2603 <PROPOSAL>{")])
    await updater.complete()


async def failing(heard: Heard, updater: TaskUpdater) -> None:
    """Gives up."""
    await updater.failed(updater.new_agent_message([new_text_part("secret reason")]))


async def waiting_for_its_owner(heard: Heard, updater: TaskUpdater) -> None:
    """Waits for its owner, and says nothing: not even that it does."""
    await updater.requires_input()


class _Executor(AgentExecutor):
    def __init__(self, agent: Agent, manner: Manner) -> None:
        self._agent, self._manner = agent, manner

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        message = context.message
        assert message is not None
        (told,) = get_data_parts(message.parts)
        task, again = context.current_task, context.current_task is not None
        if task is None:
            task = new_task_from_user_message(message)
            await event_queue.enqueue_event(task)
        headers = context.call_context.state.get("headers", {}) if context.call_context else {}
        words = next(part.text for part in message.parts if part.HasField("text"))
        identity = (message.message_id, task.context_id, task.id)
        heard = Heard(words, told["letter"], *identity, again, dict(headers))
        heard.budget = context.metadata.get("budget", {})
        self._agent.heard.append(heard)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.start_work()
        await self._manner(heard, updater)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        raise NotImplementedError


class AsMessage(_Executor):
    """Answers with a message, and makes no task."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        message = context.message
        assert message is not None
        (told,) = get_data_parts(message.parts)
        words = next(part.text for part in message.parts if part.HasField("text"))
        heard = Heard(words, told["letter"], message.message_id, message.context_id, "", False, {})
        self._agent.heard.append(heard)
        await event_queue.enqueue_event(new_message([new_text_part(heard.answer())]))


def card_of(url: str, streaming: bool = True, version: str = "1.0") -> AgentCard:
    """A card that tells the truth."""
    return AgentCard(
        name="stub",
        description="An agent for tests.",
        version="1",
        supported_interfaces=[
            AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version=version)
        ],
        capabilities=AgentCapabilities(streaming=streaming),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="table", name="table", description="Sits at a table.", tags=["x"])],
    )


@contextmanager
def a2a_agent(
    manner: Manner = in_words,
    *,
    streaming: bool = True,
    version: str = "1.0",
    as_message: bool = False,
    token: str = "",
    port: int = 0,
    gone_after: int = 0,
    card: Callable[[AgentCard], AgentCard] = lambda card: card,
) -> Iterator[Agent]:
    """Run an agent until the block ends.

    Args:
        manner: how it answers.
        streaming: whether its card offers streams.
        version: of the protocol that its card names.
        as_message: whether it answers with messages, and makes no tasks.
        token: without which it answers nobody.
        port: of its address; 0 for any.
        gone_after: how many letters it answers before it is gone; 0 for all.
        card: changes its card.
    """
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen()  # who connects before the server accepts waits, and is not refused
        bound = listening.getsockname()[1]
        agent = Agent(f"http://127.0.0.1:{bound}", bound)
        shown = card(card_of(f"{agent.url}/rpc", streaming, version))
        executor = (AsMessage if as_message else _Executor)(agent, manner)
        handler = DefaultRequestHandler(executor, InMemoryTaskStore(), shown)
        routes = [
            *create_agent_card_routes(shown),
            *create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=True),
        ]
        app: Any = Starlette(routes=list(routes))
        if token:
            app = _guarded(app, token)
        if gone_after:
            app = _gone(app, agent, gone_after)
        with _serving(app, listening):
            yield agent


def _guarded(app: Any, token: str) -> Any:
    async def guard(scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope)
        sent = request.headers.get("authorization") == f"Bearer {token}"
        if scope["path"].startswith("/rpc") and not sent:
            refusal: Response = JSONResponse({"error": "who are you?"}, status_code=401)
            await refusal(scope, receive, send)
            return
        await app(scope, receive, send)

    return guard


def _gone(app: Any, agent: Agent, after: int) -> Any:
    async def fail(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"].startswith("/rpc") and len(agent.heard) >= after:
            raise ConnectionAbortedError
        await app(scope, receive, send)

    return fail


@contextmanager
def _serving(app: Any, listening: socket.socket) -> Iterator[None]:
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()
