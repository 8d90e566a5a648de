"""The two A2A agents of `coop a2a`: a judge that assesses others, and a subject for assessment.

The judge (the green agent of AgentBeats) plays the runs of an assessment request. The subject (the
purple agent) answers letters with a model or another seat of this package. Tasks are only in
memory, so after a crash the client must send its request again; finished runs are on disk.
"""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any, cast
from urllib.parse import urlsplit

from a2a.helpers import get_data_parts, new_data_part, new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.context import ServerCallContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    ListTasksRequest,
    ListTasksResponse,
    TaskState,
)
from a2a.utils.errors import UnsupportedOperationError
from langchain_core.messages import AIMessage, HumanMessage
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from shapley_coop.evals.prices import read_prices
from shapley_coop.extensions.a2a.costs import Budget, Cost, tree_of
from shapley_coop.extensions.a2a.serving.assessment import Assessment, Spending, assess
from shapley_coop.extensions.a2a.serving.routes import as_both
from shapley_coop.extensions.server.serving.body_limit import BodyLimit, most_bytes
from shapley_coop.extensions.server.serving.browser_guard import BrowserGuard, JsonOnly, is_loopback
from shapley_coop.seats.clients import clients
from shapley_coop.seats.letters import FACTS
from shapley_coop.seats.models import chat_model
from shapley_coop.seats.seat import Seat
from shapley_coop.seats.usage import parts

ASSESSMENT = AgentSkill(
    id="assessment",
    name="Negotiation, contracts and settlement",
    description='Send JSON: {"participants": {"Alice": URL, "Bob": URL}, "config": {"game": '
    '"escape_room", "workflow": "shapley_coop", "seeds": "0-4"}}. Each participant is sent '
    "letters over A2A; payoffs, breaches and claims are computed from the record.",
    tags=["negotiation", "contracts", "assessment"],
)
LETTERS = AgentSkill(
    id="letters",
    name="Letters",
    description="Answers the letters of a table: negotiates, signs, acts and claims.",
    tags=["negotiation", "contracts"],
)


class _Agent(AgentExecutor):
    """An agent that answers each message by one task."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Create the task of a message, and call `answer` to work on it."""
        message = context.message
        assert message is not None, "a request brings a message"
        task = context.current_task
        if task is None:
            task = new_task_from_user_message(message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.start_work()
        await self.answer(context, updater)

    async def answer(self, context: RequestContext, updater: TaskUpdater) -> None:
        """Answer the message that the request's context holds, and end the message's task."""
        raise NotImplementedError

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Refuse to cancel a task, because the other agents of its run rely on the settlement."""
        raise UnsupportedOperationError("it cannot be cancelled")


class Judge(_Agent):
    """The agent that plays the runs of an assessment, and returns the results as an artifact."""

    async def answer(self, context: RequestContext, updater: TaskUpdater) -> None:
        """Add the artifact `assessment` to the task, or reject a request that cannot be read."""

        async def say(words: str) -> None:
            message = updater.new_agent_message([new_text_part(words)])
            await updater.update_status(TaskState.TASK_STATE_WORKING, message)

        try:
            spent = Spending(Budget.read(context.metadata))
            asked = Assessment.read(context.get_user_input())
        except ValueError as error:
            await updater.reject(updater.new_agent_message([new_text_part(str(error))]))
            return
        found = await assess(asked, say, spent)
        used = {"usage": spent.tree(asked.participants)}
        if not found["agents"]:
            why = found["runs"][0]["why"]
            await updater.failed(updater.new_agent_message([new_text_part(why)], metadata=used))
            return
        await updater.add_artifact([new_data_part(found)], name="assessment", metadata=used)
        await updater.complete()


class Subject(_Agent):
    """The agent under assessment; a seat, such as a model, answers each of its letters.

    Args:
        seat: the seat that answers.
        seed: the seed, used if the seat is an embedded agent.
    """

    def __init__(self, seat: Seat, seed: int = 0) -> None:
        self._seat, self._seed, self._prices = seat, seed, read_prices()

    async def answer(self, context: RequestContext, updater: TaskUpdater) -> None:
        """Add the seat's answer as an artifact; embedded agents read facts from the data part."""
        assert context.message is not None, "a request brings a message"
        words = HumanMessage(context.get_user_input())
        told = [part for part in get_data_parts(context.message.parts) if "letter" in part]
        agent = ""
        if told:
            letter = told[0]["letter"]
            agent = str(letter["agent"])
            if self._seat.program:
                words.additional_kwargs[FACTS] = json.loads(letter["facts_json"])
        try:
            Budget.read(context.metadata).left()
        except ValueError as error:
            await updater.reject(updater.new_agent_message([new_text_part(str(error))]))
            return
        model = chat_model(self._seat, agent=agent, seed=self._seed)
        answer = await model.ainvoke([words])
        used = {"usage": tree_of(self._cost(answer))} if answer.usage_metadata else None
        await updater.add_artifact([new_text_part(str(answer.text))], metadata=used)
        await updater.complete()

    def _cost(self, answer: AIMessage) -> Cost:
        used, model = cast(Mapping[str, Any], answer.usage_metadata), self._seat.model
        counts = {name: used[name] for name in ("input_tokens", "output_tokens")}
        call = {"model": model, **counts, **parts(used)}
        return Cost(**counts, usd=self._prices.cost([call]) if self._prices.know([model]) else 0)


class _Tasks(InMemoryTaskStore):
    """A store of tasks in memory; any caller that knows a task's id may read the task."""

    async def list(self, params: ListTasksRequest, context: ServerCallContext) -> ListTasksResponse:
        """List no tasks: a task holds a private letter, or an assessment with private names."""
        return ListTasksResponse()


def application(executor: AgentExecutor, skill: AgentSkill, url: str) -> Starlette:
    """Return the web app that serves an A2A agent (protocol versions 1.0 and 0.3).

    If the address is a loopback address, `BrowserGuard` keeps web pages from calling the agent.

    Args:
        executor: the judge or the subject.
        skill: the skill that the agent's card names.
        url: the public address of the agent.
    """
    card = AgentCard(
        name=f"shapley-coop {skill.id}",
        description=skill.description,
        version=version("shapley-coop"),
        supported_interfaces=[
            AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version=spoken)
            for spoken in ("1.0", "0.3")
        ],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain", "application/json"],
        skills=[skill],
    )
    handler = DefaultRequestHandler(executor, _Tasks(), card)
    told = as_both(card, url)

    async def shown(_: Request) -> JSONResponse:
        return JSONResponse(told)

    routes = [
        Route("/.well-known/agent-card.json", shown, methods=["GET"]),
        *create_jsonrpc_routes(handler, "/", enable_v0_3_compat=True),
    ]
    guards = [Middleware(BodyLimit, most=most_bytes()), Middleware(JsonOnly)]
    if is_loopback(urlsplit(url).hostname or ""):
        guards.insert(0, Middleware(BrowserGuard))
    return Starlette(routes=list(routes), middleware=guards, lifespan=_clients)


@asynccontextmanager
async def _clients(_: Starlette) -> AsyncIterator[None]:
    async with clients():
        yield
