"""What a model endpoint answers, and the ways in which it goes wrong.

Nothing here does any input or output: a `Fault` says what is to be spoilt, `StubOpenAI` in
`stub_openai.py` does it.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, Self
from uuid import uuid4


@dataclass(frozen=True)
class Completion:
    """What the model said, before it is put on the wire.

    Attributes:
        text: The message's content; sent as null beside a refusal or a tool call.
        refusal: The words in which the model declines, if it does.
        tool_calls: Each tool that it calls: its name, and its arguments as JSON text.
        finish_reason: Why generation stopped; None if nothing says that it did.
    """

    text: str
    refusal: str | None = None
    tool_calls: tuple[tuple[str, str], ...] = ()
    finish_reason: str | None = "stop"


@dataclass(frozen=True)
class Answer:
    """One HTTP answer.

    Attributes:
        parts: The body, in the pieces in which it is written. A body in one piece declares its
            length; server-sent events are chunked, one event a piece.
    """

    parts: tuple[bytes, ...]
    status: int = 200
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of_json(cls, value: Any, status: int = 200, **headers: str) -> Self:
        """Answer with a JSON value; underscores in the names of headers stand for hyphens."""
        named = tuple((name.replace("_", "-"), text) for name, text in headers.items())
        return cls((json.dumps(value).encode(),), status, headers=named)

    @classmethod
    def of_error(cls, status: int, kind: str, code: str | None, message: str, **hs: str) -> Self:
        """Answer with an error in the service's own shape."""
        error = {"message": message, "type": kind, "param": None, "code": code}
        return cls.of_json({"error": error}, status, **hs)


def answer_with(said: Completion, request: dict[str, Any], number: int) -> Answer:
    """Put a completion into the form that the request asks for.

    Tokens are counted as words separated by white space. A stream's usage comes in a last chunk
    without choices, and only if `stream_options.include_usage` asks for it.

    Args:
        said: What the model said.
        request: The request's body.
        number: Makes the completion's id.
    """
    head = {"id": f"chatcmpl-{number}", "created": 0, "model": request["model"]}
    usage = _usage(said, request)
    if not request.get("stream"):
        choice = {"index": 0, "message": _message(said), "finish_reason": said.finish_reason}
        return Answer.of_json(
            {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
        )
    head["object"] = "chat.completion.chunk"
    options = request.get("stream_options") or {}
    chunks = _chunks(head, said, usage if options.get("include_usage") else None)
    events = [json.dumps(chunk) for chunk in chunks]
    if said.finish_reason is not None:
        events.append("[DONE]")
    return Answer(
        tuple(f"data: {event}\n\n".encode() for event in events),
        content_type="text/event-stream",
    )


def _usage(said: Completion, request: dict[str, Any]) -> dict[str, int]:
    prompt = sum(_words(message.get("content")) for message in request["messages"])
    said_in_all = [said.text, said.refusal, *(part for call in said.tool_calls for part in call)]
    completion = sum(map(_words, said_in_all))
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def _words(content: Any) -> int:
    """Count the words of a message's content: text, a list of parts, or nothing."""
    if isinstance(content, list):
        return sum(_words(part.get("text")) for part in content)
    return len((content or "").split())


def _message(said: Completion) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text, "refusal": said.refusal}
    if said.tool_calls:
        message["tool_calls"] = [
            # Names as services make them: they differ from call to call.
            {
                "id": f"call_{uuid4().hex[:12]}",
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for name, arguments in said.tool_calls
        ]
    if said.refusal is not None or said.tool_calls:
        message["content"] = None
    return message


def _chunks(
    head: dict[str, Any], said: Completion, usage: dict[str, int] | None
) -> Iterator[dict[str, Any]]:
    def chunk(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
        return {
            **head,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
        }

    message = _message(said)
    yield chunk({"role": "assistant", "content": None if message["content"] is None else ""})
    for word in re.findall(r"^\s+|\S+\s*", message["content"] or ""):
        yield chunk({"content": word})
    if said.refusal is not None:
        yield chunk({"refusal": said.refusal})
    for index, call in enumerate(message.get("tool_calls", ())):
        yield chunk({"tool_calls": [{"index": index, **call}]})
    if said.finish_reason is None:
        return
    yield chunk({}, said.finish_reason)
    if usage is not None:
        yield {**head, "choices": [], "usage": usage}


Delivery = Literal["whole", "half", "drip", "stall", "hang", "reset", "close", "garbage"]


def _retry_after(seconds: float | None) -> dict[str, str]:
    return {} if seconds is None else {"Retry_After": f"{seconds:g}"}


def _half(text: str) -> str:
    return text[: len(text) // 2]


@dataclass(frozen=True)
class Fault:
    """One way in which a single call goes wrong; build it with a named constructor.

    Attributes:
        name: The constructor's name, as it appears in the record of requests.
        instead: Sent in place of a completion; the model is not asked.
        spoil: What happens to the completion before it is sent.
        delivery: What happens to the bytes. On `hang`, `reset`, `close` and `garbage` the model
            is not asked.
        pause: Seconds between two bytes of a drip.
    """

    name: str
    instead: Answer | None = None
    spoil: Callable[[Completion], Completion] = lambda said: said
    delivery: Delivery = "whole"
    pause: float = 0.0

    # The service says no.

    @classmethod
    def rate_limited(cls, retry_after: float | None = None) -> Self:
        """429, asking to wait `retry_after` seconds if given.

        The openai client reads 0 as no advice and backs off by itself; 0.01 retries at once.
        """
        said = "Rate limit reached for requests"
        headers = _retry_after(retry_after)
        answer = Answer.of_error(429, "requests", "rate_limit_exceeded", said, **headers)
        return cls("rate_limited", answer)

    @classmethod
    def out_of_quota(cls) -> Self:
        """429 that no waiting cures: the account has no money left."""
        kind, said = "insufficient_quota", "You exceeded your current quota"
        return cls("out_of_quota", Answer.of_error(429, kind, kind, said))

    @classmethod
    def server_error(cls, status: int = 500, retry_after: float | None = None) -> Self:
        """5xx with an error body."""
        said, headers = "The server had an error", _retry_after(retry_after)
        return cls("server_error", Answer.of_error(status, "server_error", None, said, **headers))

    @classmethod
    def bad_key(cls) -> Self:
        """401: the key is not valid."""
        kind, code, said = "invalid_request_error", "invalid_api_key", "Incorrect API key provided"
        return cls("bad_key", Answer.of_error(401, kind, code, said))

    @classmethod
    def context_too_long(cls) -> Self:
        """400: the messages do not fit the model's context."""
        kind, code = "invalid_request_error", "context_length_exceeded"
        said = "This model's maximum context length was exceeded; reduce the messages"
        return cls("context_too_long", Answer.of_error(400, kind, code, said))

    @classmethod
    def redirect(cls, location: str = "/v1/chat/completions") -> Self:
        """307 to `location`; by default back to the stub, as a new request."""
        return cls("redirect", Answer.of_json({}, 307, Location=location))

    # The network, or something between, spoils the answer.

    @classmethod
    def hang(cls) -> Self:
        """Answer nothing until the client goes away."""
        return cls("hang", delivery="hang")

    @classmethod
    def reset(cls) -> Self:
        """Reset the connection (a TCP RST) before any byte of an answer."""
        return cls("reset", delivery="reset")

    @classmethod
    def closed(cls) -> Self:
        """Close the connection in order, before any byte of an answer."""
        return cls("closed", delivery="close")

    @classmethod
    def garbage(cls) -> Self:
        """Answer with bytes that are no HTTP."""
        return cls("garbage", delivery="garbage")

    @classmethod
    def stall(cls) -> Self:
        """Send half of the body and then nothing, until the client goes away."""
        return cls("stall", delivery="stall")

    @classmethod
    def half_body(cls) -> Self:
        """Close the connection after half of the body."""
        return cls("half_body", delivery="half")

    @classmethod
    def drip(cls, pause: float = 0.02) -> Self:
        """Send the body one byte at a time: no single read times out, the whole call drags."""
        return cls("drip", delivery="drip", pause=pause)

    @classmethod
    def html(cls, status: int = 200) -> Self:
        """A proxy's page where JSON was expected."""
        page = b"<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>"
        return cls("html", Answer((page,), status, "text/html"))

    @classmethod
    def empty_body(cls) -> Self:
        """200 and not one byte."""
        return cls("empty_body", Answer((b"",)))

    # The model misbehaves.

    @classmethod
    def early_end(cls) -> Self:
        """Half of the text and no finish reason; a stream then ends without usage or `[DONE]`."""
        return cls(
            "early_end",
            spoil=lambda said: replace(said, text=_half(said.text), finish_reason=None),
        )

    @classmethod
    def truncated(cls) -> Self:
        """Half of the text, finish reason `length`."""
        return cls(
            "truncated",
            spoil=lambda said: replace(said, text=_half(said.text), finish_reason="length"),
        )

    @classmethod
    def refusal(cls, words: str = "I'm sorry, I can't help with that.") -> Self:
        """A refusal and no content."""
        return cls(
            "refusal",
            spoil=lambda said: replace(said, text="", tool_calls=(), refusal=words),
        )

    @classmethod
    def fenced(cls) -> Self:
        """The text inside a Markdown fence marked as JSON."""
        return cls("fenced", spoil=lambda said: replace(said, text=f"```json\n{said.text}\n```"))

    @classmethod
    def wrong_tool_call(cls, tool: str = "no_such_tool", arguments: str = "{}") -> Self:
        """A call of a tool that nobody offered, and no content."""
        calls = ((tool, arguments),)
        return cls(
            "wrong_tool_call",
            spoil=lambda said: replace(said, text="", tool_calls=calls, finish_reason="tool_calls"),
        )


SOUND = Fault("sound")
"""No fault at all."""
