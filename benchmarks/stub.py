"""A chat-completions endpoint on the loopback interface, in its own process.

    python -m benchmarks.stub --latency 0.2

The first line it prints is its base URL; it serves until its standard input closes.
"""

import argparse
import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aiohttp import web

_ROOT = Path(__file__).parents[1]
_SAID = "<s>No, not yet: think of what it costs me.</s><REJECT>"
_REPLY = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "stub",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": _SAID},
        }
    ],
    "usage": {"prompt_tokens": 2000, "completion_tokens": 20, "total_tokens": 2020},
}


@contextmanager
def stub(latency: float) -> Iterator[str]:
    """Serve while the block lasts, and give the base URL."""
    command = [sys.executable, "-m", "benchmarks.stub", "--latency", str(latency)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=_ROOT) as process:
        assert process.stdout is not None
        base_url = process.stdout.readline().strip()
        if not base_url:
            raise RuntimeError(f"no server came up: {' '.join(command)}")
        yield base_url


def main() -> None:
    """Serve until standard input closes."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.stub", description=main.__doc__)
    options.add_argument("--latency", type=float, default=0.2, help="seconds per request")
    asyncio.run(_serve(options.parse_args().latency))


async def _serve(latency: float) -> None:
    body = json.dumps(_REPLY).encode()

    async def complete(request: web.Request) -> web.Response:
        await request.read()
        await asyncio.sleep(latency)
        return web.Response(body=body, content_type="application/json")

    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=2048)
    await site.start()
    sys.stdout.write(f"http://127.0.0.1:{runner.addresses[0][1]}/v1\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    main()
