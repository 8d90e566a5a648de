"""The files and batches of `StubOpenAI`, as OpenAI documents its Batch API.

A batch moves on each time it is looked at: it is validated, and then ends. Its letters are
answered, and so charged, when it ends.
"""

import asyncio
import json
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from aiohttp import web

from tests.stub_faults import SOUND, Answer, Fault

ENDPOINT = "/v1/chat/completions"
MOST = 50_000

Ask = Callable[[Any, Fault, int], Answer]
Batch = dict[str, Any]


@dataclass
class StubBatches:
    """What is uploaded and asked in batches.

    Attributes:
        ends: How the coming batches end: completed, cancelled, expired with the first half of the
            letters answered, or the code for which they fail. All after these are completed.
        faults: One is used up by each letter, in order; None is a sound answer.
        room: Letters to one model that may be enqueued at once.
        held: Whether batches stay in progress.
        stalls: What never is answered: the creation of a batch, `before` it is or `after`.
        loses: How many answers to a creation are lost, after the batch was created.
        files: Name → content.
        made: Every batch, in order of creation.
        charged: Custom id → how often the letter was answered.
    """

    ends: deque[str] = field(default_factory=deque)
    faults: deque[Fault | None] = field(default_factory=deque)
    room: int = MOST
    held: bool = False
    stalls: str = ""
    loses: int = 0
    files: dict[str, bytes] = field(default_factory=dict)
    made: list[Batch] = field(default_factory=list)
    charged: Counter[str] = field(default_factory=Counter)

    def lines(self, batch: Batch) -> list[dict[str, Any]]:
        """The requests of a batch."""
        return [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]

    async def answer(self, http: web.Request, ask: Ask) -> Answer:
        """Answer one request for files or batches."""
        match (http.method, *http.path.removeprefix("/v1/").split("/")):
            case ("POST", "files"):
                return await self._upload(http)
            case ("GET", "files", str(name), "content") if name in self.files:
                return Answer((self.files[name],), content_type="application/octet-stream")
            case ("POST", "batches"):
                return await self._create(await http.json())
            case ("GET", "batches"):
                return self._list(http.query.get("after"), int(http.query.get("limit", 20)))
            case ("GET", "batches", str(name)) if batch := self._named(name):
                self._move_on(batch, ask)
                return Answer.of_json(batch)
        return Answer.of_error(404, "invalid_request_error", None, f"No such {http.path}")

    async def _upload(self, http: web.Request) -> Answer:
        form = await http.post()
        file = form["file"]
        assert isinstance(file, web.FileField)
        assert form["purpose"] == "batch"
        assert file.filename.endswith(".jsonl")
        return Answer.of_json(self._keep(file.file.read()))

    def _keep(self, content: bytes) -> dict[str, Any]:
        name = f"file-{uuid4().hex}"
        self.files[name] = content
        about = {"id": name, "object": "file", "bytes": len(content), "created_at": _now()}
        return {**about, "filename": "letters.jsonl", "purpose": "batch", "status": "processed"}

    async def _create(self, asked: dict[str, Any]) -> Answer:
        if self.stalls == "before":
            await asyncio.Event().wait()
        if asked["endpoint"] != ENDPOINT or asked["completion_window"] != "24h":
            return Answer.of_error(400, "invalid_request_error", None, "What is that?")
        total = len(self.files[asked["input_file_id"]].splitlines())
        batch: Batch = {
            **asked,
            "id": f"batch_{uuid4().hex}",
            "object": "batch",
            "status": "validating",
            "created_at": _now(),
            "errors": None,
            "output_file_id": None,
            "error_file_id": None,
            "request_counts": {"total": total, "completed": 0, "failed": 0},
        }
        self.made.append(batch)
        if self.stalls == "after":
            await asyncio.Event().wait()
        if self.loses:
            self.loses -= 1
            return Answer.of_error(502, "server_error", None, "Bad gateway")
        return Answer.of_json(batch)

    def _list(self, after: str | None, limit: int) -> Answer:
        newest = self.made[::-1]
        names = [batch["id"] for batch in newest]
        rest = newest[names.index(after) + 1 :] if after else newest
        return Answer.of_json(
            {"object": "list", "data": rest[:limit], "has_more": len(rest) > limit}
        )

    def _named(self, name: str) -> Batch | None:
        return next((batch for batch in self.made if batch["id"] == name), None)

    def _move_on(self, batch: Batch, ask: Ask) -> None:
        match batch["status"]:
            case "validating":
                end = self.ends[0] if self.ends else ""
                code = self._refused(batch)
                if end and end not in ("completed", "expired", "cancelled"):
                    code = self.ends.popleft()
                batch["status"] = "failed" if code else "in_progress"
                if code:
                    error = {"code": code, "message": "no", "line": None, "param": None}
                    batch["errors"] = {"object": "list", "data": [error]}
            case "in_progress" if not self.held:
                self._end(batch, self.ends.popleft() if self.ends else "completed", ask)

    def _refused(self, batch: Batch) -> str:
        """The code for which a batch is not taken, if any."""
        try:
            lines = self.lines(batch)
        except ValueError:
            return "invalid_json_line"
        models = {line["body"]["model"] for line in lines}
        under_way = [self.lines(b) for b in self.made if b["status"] == "in_progress"]
        enqueued = sum(line["body"]["model"] in models for some in under_way for line in some)
        faults = {
            "empty_file": not lines,
            "too_many_tasks": len(lines) > MOST,
            "duplicate_custom_id": len({line["custom_id"] for line in lines}) < len(lines),
            "url_mismatch": any(line["url"] != batch["endpoint"] for line in lines),
            "model_mismatch": len(models) > 1,
            "token_limit_exceeded": enqueued + len(lines) > self.room,
        }
        return next((code for code, found in faults.items() if found), "")

    def _end(self, batch: Batch, end: str, ask: Ask) -> None:
        lines = self.lines(batch)
        reached = len(lines) if end == "completed" else len(lines) // 2
        told = [self._told(line, ask) for line in lines[:reached]]
        told += [_not_reached(line, f"batch_{end}") for line in lines[reached:]]
        good = [line for line in told if (line["response"] or {}).get("status_code") == 200]
        bad = [line for line in told if line not in good]
        for name, some in (("output_file_id", good), ("error_file_id", bad)):
            if some:
                text = "".join(f"{json.dumps(line)}\n" for line in reversed(some))
                batch[name] = self._keep(text.encode())["id"]
        batch["request_counts"] |= {"completed": len(good), "failed": len(bad)}
        batch["status"] = end

    def _told(self, line: dict[str, Any], ask: Ask) -> dict[str, Any]:
        fault = (self.faults.popleft() if self.faults else None) or SOUND
        assert not line["body"].get("stream"), "no batch can be streamed"
        answer = fault.instead or ask(line["body"], fault, sum(self.charged.values()))
        self.charged[line["custom_id"]] += answer.status == 200
        body = json.loads(b"".join(answer.parts))
        response = {"status_code": answer.status, "request_id": uuid4().hex, "body": body}
        return _line(line, response, None)


def _not_reached(line: dict[str, Any], code: str) -> dict[str, Any]:
    return _line(line, None, {"code": code, "message": "It could not be executed."})


def _line(line: dict[str, Any], response: Any, error: Any) -> dict[str, Any]:
    named = {"id": f"batch_req_{uuid4().hex}", "custom_id": line["custom_id"]}
    return {**named, "response": response, "error": error}


def _now() -> int:
    return int(time.time())
