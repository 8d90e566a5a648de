"""python guest.py URL TOKEN [EPISODE AGENT]"""

import asyncio
import json
import sys

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.helpers import get_data_parts, new_data_part, new_message, new_text_part
from a2a.types import GetTaskRequest, Role, SendMessageRequest, TaskState


def answer(letter):
    """Accept every offer, and keep every contract."""
    facts = json.loads(letter["facts_json"])
    if facts.get("offer"):
        return "<ACCEPT>"
    if letter["act"] == "act":
        signed = facts.get("contract") or {"clauses": []}
        due = [c["action"] for c in signed["clauses"] if c.get("agent") == facts["you"]]
        return f"<ACTION>{(due or facts['legal'])[0]}</ACTION>"
    if letter["act"] == "reason":
        return "<CONSIDER>Fine.\nCollective payoff: 0\nExternality: 0\nPrice: 0</CONSIDER>"
    if letter["act"] == "claim":
        return "<CLAIM>0%</CLAIM>"
    return "<s>Make me an offer.</s><REJECT>"


async def sit(url, token, *seat):
    """Take a seat at a table, and answer its letters until the play is over."""
    http = httpx.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=60)
    config = ClientConfig(streaming=False, httpx_client=http)
    table = await ClientFactory(config).create_from_url(f"{url}/table")

    async def send(parts, task=""):
        message = new_message(parts, task_id=task, role=Role.ROLE_USER)
        async for reply in table.send_message(SendMessageRequest(message=message)):
            return reply.task
        return None

    named = {"seat": dict(zip(("episode", "agent"), seat, strict=True))} if seat else {}
    task = await send([new_text_part("I sit down."), new_data_part(named)])
    while task.status.state != TaskState.TASK_STATE_COMPLETED:
        if task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED:
            letter = get_data_parts(task.status.message.parts)[0]["letter"]
            named = new_data_part({"letter": letter["id"]})
            task = await send([new_text_part(answer(letter)), named], task.id)
        else:
            await asyncio.sleep(1)
            task = await table.get_task(GetTaskRequest(id=task.id))
    print(json.dumps(get_data_parts(task.artifacts[0].parts)[0]["payoffs"]))  # noqa: T201 - its result


asyncio.run(sit(*sys.argv[1:]))
