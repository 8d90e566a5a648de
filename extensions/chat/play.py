"""The node `play`: a workflow plays the game as a separate run, whose talk the chat shows."""

import asyncio
from contextvars import copy_context
from hashlib import sha256
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph.message import push_message
from langgraph.runtime import Runtime

from shapley_coop import play as play_run
from shapley_coop import resume
from shapley_coop.canonical import canonical
from shapley_coop.extensions.chat.state import Chat, ChatConfig, proposal_of
from shapley_coop.extensions.chat.words import spoken
from shapley_coop.graphs.finding import is_known, run_of
from shapley_coop.graphs.threads import table_of


async def play(chat: Chat, runtime: Runtime[ChatConfig], config: RunnableConfig) -> dict[str, Any]:
    """Play the game as a run, or resume its run, and pass each public message on to the chat.

    The run's name is a hash of thread, position in the chat, game and settings. So after a kill
    or a fork, the same run is resumed and no call is paid for twice.

    Raises:
        ValueError: the state holds a game that cannot be played.
    """
    chosen = runtime.context or ChatConfig()
    game = await asyncio.to_thread(proposal_of, chat["game"], chosen.workflow)
    if isinstance(game, str):  # a refusal: the thread's owner can write anything into its state
        raise ValueError(f"the game in the chat's state cannot be played: {game}")
    place = [str(config["configurable"]["thread_id"]), chat.get("since", 0), game]
    name = f"chat-{sha256(canonical([*place, chosen.model_dump(mode='json')])).hexdigest()[:16]}"
    here = copy_context()

    def pass_on(node: str, written: dict[str, Any]) -> None:
        for said, by, words in spoken(written):
            here.run(push_message, AIMessage(words, id=f"{name}.{said}", name=by))

    if await asyncio.to_thread(is_known, name):
        outcome = await resume(name, watch=pass_on)
        # A kill or a fork loses the messages that this node had shown, so show all talk again.
        pass_on("", dict(await table_of(await run_of(name))))
    else:
        seats = {"*": chosen.seat().model_dump(mode="json", exclude_unset=True)}
        room = {**game, "seed": chosen.seed, "seats": seats}
        outcome = await play_run(chosen.workflow, room, name, pass_on)
    kept = {key: value for key, value in outcome.items() if key not in ("talk", "events")}
    return {"run": name, "outcome": kept}
