"""The calls of a provider's batch API, through `files` and `batches` of the OpenAI client."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, TypeVar

from openai import APIConnectionError, APIStatusError, AsyncOpenAI
from openai.types import Batch

from shapley_coop.extensions.batches.pauses import Pauses
from shapley_coop.seats.faults import AnswerTooLarge, WebPage, busy_for, causes

ENDPOINT: Final = "/v1/chat/completions"
MOST, LARGEST = 50_000, 190_000_000
"""The most letters and bytes of one file; OpenAI's limits are 50,000 requests and 200 MB."""

NO_ROOM = "token_limit_exceeded"
"""The error code of a batch that, with the enqueued batches, exceeds the limit on tokens."""

TOLD, TRIES = 3, 100
"""The failures in a row before a report, and the tries before an endpoint is given up."""

_ENDED = {"completed", "failed", "expired", "cancelled"}
_ASKED_AGAIN = {"batch_expired", "batch_incomplete"}
_CODE = re.compile(r"[a-z0-9_.-]{1,60}")


Done = TypeVar("Done")


class Provider:
    """The batch API of one endpoint.

    Temporary failures are retried after growing pauses. A method raises `APIStatusError` if the
    endpoint refuses its request, and `APIConnectionError` if the endpoint stays unreachable.

    Args:
        client: the client of the endpoint.
        pauses: the pauses between polls and retries.
        tell: a function that is called with lines of text on repeated failures.
    """

    def __init__(self, client: AsyncOpenAI, pauses: Pauses, tell: Callable[[str], Any]) -> None:
        self._client, self._pauses, self._tell = client, pauses, tell

    async def upload(self, lines: bytes) -> str:
        """Upload the lines of a batch; return the provider's id of the file."""
        named = ("letters.jsonl", lines)
        file = await self._patiently(lambda: self._client.files.create(file=named, purpose="batch"))
        return file.id

    async def begin(self, file: str, since: float) -> str:
        """Create a file's batch and return the batch's id; a retry creates no second batch.

        Args:
            file: the provider's id of the file.
            since: the time just before the call, in seconds since the epoch.
        """
        alone = self._client.with_options(max_retries=0)
        tried = False

        async def once() -> str:
            nonlocal tried
            if tried and (known := await self._found(file, since)):
                return known
            tried = True
            made = await alone.batches.create(
                input_file_id=file, endpoint=ENDPOINT, completion_window="24h"
            )
            return made.id

        return await self._patiently(once)

    async def find(self, file: str, since: float) -> str:
        """Return the id of the batch of a file, or "" if none was created."""
        return await self._patiently(lambda: self._found(file, since))

    async def _found(self, file: str, since: float) -> str:
        async for batch in self._client.batches.list(limit=100):
            if batch.input_file_id == file:
                return batch.id
            if batch.created_at < since - 3600:  # newest first; allow 1 h between two clocks
                break
        return ""

    async def looks(self, batch: str) -> AsyncIterator[Batch]:
        """Poll a batch until it has ended, and yield its state at each poll."""
        for pause in self._pauses.growing():
            await asyncio.sleep(pause)
            found = await self._patiently(lambda: self._client.batches.retrieve(batch))
            yield found
            if found.status in _ENDED:
                return

    async def read(self, batch: Batch) -> dict[str, Mapping[str, Any]]:
        """Return letter id → the line of an ended batch's files with its answer or error.

        Raises:
            ValueError: a line is not a JSON object.
        """
        lines: dict[str, Mapping[str, Any]] = {}
        for file in filter(None, (batch.output_file_id, batch.error_file_id)):
            read = await self._patiently(partial(self._client.files.content, file))
            for line in read.content.splitlines():
                told = json.loads(line)
                if not isinstance(told, dict):
                    raise ValueError("a line of a batch is not an object")
                lines[str(told.get("custom_id"))] = told
        return lines

    async def _patiently(self, do: Callable[[], Awaitable[Done]]) -> Done:
        """Call `do`, and again after temporary failures; give up after `TRIES` tries in all."""
        for tries, pause in enumerate(self._pauses.growing(), start=1):
            try:
                return await do()
            except (APIConnectionError, APIStatusError) as error:
                if tries == TRIES or not passes(error):
                    raise
                if tries == TOLD:
                    self._tell(f"{self._client.base_url.host}: {type(error).__name__}, again")
            await asyncio.sleep(pause)
        raise AssertionError("the pauses ended")


def passes(error: APIConnectionError | APIStatusError) -> bool:
    """Return whether an error may pass, so that a retry may succeed."""
    if isinstance(error, APIStatusError):
        return busy_for(error) is not None
    return not any(isinstance(cause, WebPage | AnswerTooLarge) for cause in causes(error))


def fault_of(batch: Batch) -> str:
    """Return the error code of a batch that failed as a whole, or ""."""
    errors = (batch.errors.data if batch.errors else None) or []
    return next((_known(error.code) for error in errors if error.code), "")


def answer_to(line: Mapping[str, Any] | None, batch: Batch) -> tuple[int, Any]:
    """Return the response to a letter, as HTTP status and body, from its line in an ended batch.

    A letter that the batch did not reach gets 408, so that the client repeats its request.
    """
    match line:
        case {"response": {"status_code": int(status), "body": body}}:
            return status, body
        case {"error": {"code": str(told)}}:
            return failure(_known(told))
    ended = "incomplete" if batch.status == "completed" else batch.status
    return failure(fault_of(batch) or f"batch_{ended}")


def failure(code: str) -> tuple[int, Any]:
    """Return the response to a letter that got no answer, as HTTP status and body."""
    error = {"message": code, "type": "batch_error", "param": None, "code": code}
    return 408 if code in _ASKED_AGAIN else 400, {"error": error}


def _known(code: str) -> str:
    """Return a known error code; "unknown" for any other text, as that could quote a letter."""
    return code if _CODE.fullmatch(code) else "unknown"
