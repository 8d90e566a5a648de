"""The handler of A2A requests by which guests take a seat, answer letters and read their task."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any, NoReturn

from a2a.server.context import ServerCallContext
from a2a.server.events.event_queue import Event
from a2a.server.request_handlers import RequestHandler
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    GetExtendedAgentCardRequest,
    GetTaskRequest,
    ListTasksRequest,
    ListTasksResponse,
    Message,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatusUpdateEvent,
)
from a2a.utils.errors import (
    InvalidParamsError,
    PushNotificationNotSupportedError,
    TaskNotFoundError,
    UnsupportedOperationError,
)
from google.protobuf.json_format import MessageToDict

from shapley_coop.extensions.a2a.asking.reply import is_thought
from shapley_coop.extensions.a2a.serving.tasks import NoSuchSeat, Seat, letter_id, task_of
from shapley_coop.extensions.people.inbox import NothingAsked, ThreadInbox
from shapley_coop.extensions.server.serving.tenancy import Caller
from shapley_coop.seats.answers import tag_fields

CALLER = "caller"
"""The key of the caller in a call's context; the caller is None without tenants."""

PATIENCE = 25.0
"""The longest wait of a blocking call in seconds; after this time the guest must poll."""

EVERY = 0.2
"""Seconds between two computations of a seat's task during a wait."""


class Guests(RequestHandler):
    """The A2A request handler; each of its tasks represents a seat.

    Args:
        inbox: the inbox with the letters that wait for an answer.
    """

    def __init__(self, inbox: ThreadInbox) -> None:
        self._inbox = inbox

    async def on_message_send(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> Task | Message:
        """Take a seat or answer a letter; then wait for the next letter or the run's end."""
        seat, held = await self._heard(params, context)
        if params.configuration.return_immediately:
            return await self._task(seat)
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._next(seat, held)
        except TimeoutError:
            return await self._task(seat)

    async def on_message_send_stream(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event]:
        """Take a seat or answer a letter; stream events until the next letter or the run's end."""
        seat, held = await self._heard(params, context)
        async for event in self._events(seat, held):
            yield event

    async def on_subscribe_to_task(
        self, params: SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event]:
        """Yield the events of a seat's task until the next letter or the end of the run."""
        seat = _seat(context, params.id)
        async for event in self._events(seat, ""):
            yield event

    async def on_get_task(self, params: GetTaskRequest, context: ServerCallContext) -> Task | None:
        """Return the current task of a seat."""
        return await self._task(_seat(context, params.id))

    async def on_list_tasks(
        self, params: ListTasksRequest, context: ServerCallContext
    ) -> ListTasksResponse:
        """Return the task of the caller's seat, or none on a server without tokens."""
        caller: Caller | None = context.state.get(CALLER)
        if caller is None:
            return ListTasksResponse()
        task = await self._task(Seat(caller.episode, caller.agent))
        if params.context_id and params.context_id != task.context_id:
            return ListTasksResponse()
        return ListTasksResponse(tasks=[task], total_size=1, page_size=1)

    async def on_cancel_task(
        self, params: CancelTaskRequest, context: ServerCallContext
    ) -> NoReturn:
        """Refuse to cancel a task; an agent that stays silent passes at its deadline."""
        raise UnsupportedOperationError("A party cannot cancel the run")

    async def on_get_extended_agent_card(
        self, params: GetExtendedAgentCardRequest, context: ServerCallContext
    ) -> AgentCard:
        """Refuse the request, because the agent has no extended card."""
        raise UnsupportedOperationError

    async def _no_push(self, params: Any, context: ServerCallContext) -> NoReturn:
        raise PushNotificationNotSupportedError

    on_create_task_push_notification_config = _no_push
    on_get_task_push_notification_config = _no_push
    on_list_task_push_notification_configs = _no_push
    on_delete_task_push_notification_config = _no_push

    async def _task(self, seat: Seat) -> Task:
        try:
            return await task_of(seat, self._inbox)
        except NoSuchSeat as error:
            raise TaskNotFoundError(str(error)) from None

    async def _heard(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> tuple[Seat, str]:
        """Handle a message; return its seat, and the id of the letter it answered ("" if none)."""
        data, words = _parts(params.message)
        if not params.message.task_id:
            seat = _invited(context, data.get("seat"))
            await self._task(seat)
            return seat, ""
        seat = _seat(context, params.message.task_id)
        return seat, await self._answered(seat, data, words)

    async def _answered(self, seat: Seat, data: Mapping[str, Any], words: str) -> str:
        """Answer the letter that waits; return the letter's id, or "" if the answer is refused."""
        task = await self._task(seat)
        if task.status.state == TaskState.TASK_STATE_COMPLETED:
            raise UnsupportedOperationError("The play is over")
        meant = str(data.get("letter") or letter_id(task))
        if meant and meant != letter_id(task):
            return meant  # a repeated answer changes nothing and gets the current task
        if not meant:
            raise UnsupportedOperationError("No letter waits at this seat now")
        if "answer" in data:
            (told,) = (part.data for part in task.status.message.parts if part.HasField("data"))
            act = MessageToDict(told)["letter"]["act"]
            words = tag_fields(act, data["answer"])
        try:
            reply = {"type": "response", "args": words, "id": meant}
            taken = await self._inbox.answer(*seat, reply)
        except NothingAsked:
            return meant
        except ValueError as error:
            raise InvalidParamsError(str(error)) from None
        return "" if "refused" in taken else meant

    async def _next(self, seat: Seat, answered: str) -> Task:
        """Return a seat's task once a letter other than `answered` waits, or the run has ended."""
        while True:
            task = await self._task(seat)
            working = task.status.state == TaskState.TASK_STATE_WORKING
            if not working and (not answered or letter_id(task) != answered):
                return task
            await asyncio.sleep(EVERY)

    async def _events(self, seat: Seat, answered: str) -> AsyncGenerator[Event]:
        first = await self._task(seat)
        yield first
        if first.status.state != TaskState.TASK_STATE_WORKING and letter_id(first) != answered:
            return
        task = await self._next(seat, answered)
        for artifact in task.artifacts:
            yield TaskArtifactUpdateEvent(
                task_id=task.id, context_id=task.context_id, artifact=artifact, last_chunk=True
            )
        yield TaskStatusUpdateEvent(task_id=task.id, context_id=task.context_id, status=task.status)


def _parts(message: Message) -> tuple[dict[str, Any], str]:
    """Return the merged data parts and the joined texts of a message."""
    data: dict[str, Any] = {}
    texts = []
    for part in message.parts:
        if is_thought(part):
            continue
        if part.HasField("data"):
            found: Any = MessageToDict(part.data)
            data |= found if isinstance(found, dict) else {}
        elif part.HasField("text"):
            texts.append(part.text)
    return data, "\n".join(texts)


def _seat(context: ServerCallContext, task: str) -> Seat:
    """Return a task's seat; raise `TaskNotFoundError` if the seat belongs to another caller."""
    seat, caller = Seat.of_task(task), context.state.get(CALLER)
    if caller is not None and not caller.sits_at(*seat):
        raise TaskNotFoundError
    return seat


def _invited(context: ServerCallContext, named: Any) -> Seat:
    """Return the seat of the caller's token, or on a server without tokens the seat in `named`."""
    caller: Caller | None = context.state.get(CALLER)
    if caller is not None:
        return Seat(caller.episode, caller.agent)
    if isinstance(named, Mapping) and named.keys() >= {"episode", "agent"}:
        return Seat(str(named["episode"]), str(named["agent"]))
    raise InvalidParamsError(
        'Say where you sit, in a data part: {"seat": {"episode": "…", "agent": "…"}}'
    )
