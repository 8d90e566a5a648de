"""Forty faults of a model endpoint, by name."""

import json
from dataclasses import replace
from typing import Any

from tests.stub_faults import Answer, Completion, Fault

NOWHERE = "http://localhost:9/v1/chat/completions"
"""Another host, on which nobody listens."""

HUGE = 4_000_000


def refused(name: str, status: int, said: str, kind: str = "invalid_request_error") -> Fault:
    """The service says no, with a status."""
    return Fault(name, Answer.of_error(status, kind, None, said))


def instead(name: str, body: bytes, content_type: str = "application/json", **head: str) -> Fault:
    """Something else comes in the place of a completion, as if all were well."""
    headers = tuple((key.replace("_", "-"), value) for key, value in head.items())
    return Fault(name, Answer((body,), 200, content_type, headers))


def told(name: str, **changed: Any) -> Fault:
    """The model says something else."""
    return Fault(name, spoil=lambda said: replace(said, **changed))


def completion(**changed: Any) -> bytes:
    """The body of a completion with something wrong in it."""
    message = {"role": "assistant", "content": "<s>Fine.</s><ACCEPT>"}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    whole = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "stub"}
    return json.dumps({**whole, "choices": [choice], "usage": usage, **changed}).encode()


def _content(content: Any) -> list[dict[str, Any]]:
    message = {"role": "assistant", "content": content}
    return [{"index": 0, "message": message, "finish_reason": "stop"}]


def _huge(said: Completion) -> Completion:
    return replace(said, text=said.text + "x" * HUGE)


def every_fault(key: str) -> dict[str, Fault]:
    """All of them.

    Args:
        key: what the service repeats in its errors, as if it had read it off the request.
    """
    repeated = f"Incorrect API key provided: {key}"
    usage = {"prompt_tokens": 10**30, "completion_tokens": -(10**30), "total_tokens": 0}
    return {
        # The service says no.
        "429, come back soon": Fault.rate_limited(0.01),
        "429, come back some time": Fault.rate_limited(),
        "429, come back in an hour": Fault.rate_limited(3_600),
        "429, quota used up": Fault.out_of_quota(),
        "400, context too long": Fault.context_too_long(),
        "401, bad key": refused("bad_key", 401, repeated),
        "402, no money": refused("payment_required", 402, "Insufficient balance"),
        "403, no right": refused("forbidden", 403, repeated),
        "404, no such model": refused("no_such_model", 404, "The model does not exist"),
        "408, too slow": refused("request_timeout", 408, "Request timeout"),
        "409, in the way": refused("conflict", 409, "Lock timeout"),
        "422, cannot be processed": refused("unprocessable", 422, "messages: invalid"),
        "500": Fault.server_error(500),
        "502": Fault.server_error(502),
        "503, come back soon": Fault.server_error(503, 0.01),
        "504": Fault.server_error(504),
        "529, overloaded": refused("overloaded", 529, "Overloaded", "overloaded_error"),
        "307, here again": Fault.redirect(),
        "307, to another host": Fault.redirect(NOWHERE),
        # The network, or something between, spoils the answer.
        "hang": Fault.hang(),
        "reset": Fault.reset(),
        "closed": Fault.closed(),
        "half a body": Fault.half_body(),
        "half a body and a hang": Fault.stall(),
        "drip": Fault.drip(0.02),
        "no HTTP": Fault.garbage(),
        "HTML": Fault.html(),
        "nothing": Fault.empty_body(),
        "wrong encoding": instead("wrong_encoding", completion(), Content_Encoding="gzip"),
        "an error as 200": instead("error_200", json.dumps({"error": repeated}).encode()),
        # The model misbehaves.
        "early end": Fault.early_end(),
        "truncated": Fault.truncated(),
        "refusal": Fault.refusal(),
        "filtered": told("filtered", text="", finish_reason="content_filter"),
        "fenced": Fault.fenced(),
        "wrong tool call": Fault.wrong_tool_call(),
        "no choice": instead("no_choice", completion(choices=[])),
        "content of another kind": instead("wrong_content", completion(choices=_content(7))),
        "absurd usage": instead("absurd_usage", completion(usage=usage)),
        "megabytes": Fault("huge", spoil=_huge),
    }
