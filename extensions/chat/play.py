"""Play: have a workflow play the table, and pass on what is said."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph.message import push_message
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from shapley_coop.extensions.chat.state import Chat, ChatConfig
from shapley_coop.extensions.chat.words import spoken
from shapley_coop.state.result import result
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.episodes import PLAYED_BEFORE
from shapley_coop.state.table import Table

Workflow = CompiledStateGraph[Table, RunConfig, Any, Table]


def play_by(workflow: Callable[[str], Workflow]) -> Callable[..., Awaitable[dict[str, Any]]]:
    """Return the node that plays by a workflow.

    Args:
        workflow: gives the compiled graph of a name. It has no saver of its own: the play is kept
            in the conversation's thread.
    """

    async def play(
        chat: Chat, runtime: Runtime[ChatConfig], config: RunnableConfig
    ) -> dict[str, Any]:
        """Have the workflow play the table; what is said goes on as messages while it is said."""
        chosen = runtime.context or ChatConfig()
        seats = {"*": chosen.seat().model_dump(mode="json", exclude_unset=True)}
        room = {"game": chat["game"], "seed": chosen.seed, "seats": seats}
        follows = {**(config.get("configurable") or {}), PLAYED_BEFORE: chat.get("episode", "")}
        place = cast(RunnableConfig, {**config, "configurable": follows})
        table: Any = {}
        stream = workflow(chosen.workflow).astream(
            cast(Any, {"room": room}), place, context=RunConfig(), stream_mode=["values", "updates"]
        )
        async for mode, part in cast(Any, stream):
            if mode == "values":
                table = part
                continue
            for written in part.values():
                for said, by, words in spoken(_news(written)):
                    name = f"{table.get('episode', '')}.{said}"
                    push_message(AIMessage(words, id=name, name=by))
        outcome = result(str(follows.get("thread_id", "")), chosen.workflow, cast(Table, table))
        kept = {key: value for key, value in outcome.items() if key not in ("talk", "events")}
        return {"episode": table["episode"], "outcome": kept}

    return play


def _news(written: Any) -> dict[str, Any]:
    """Return what an update adds, without the keys that it only clears."""
    if not isinstance(written, dict):
        return {}
    return {key: value for key, value in written.items() if not isinstance(value, Overwrite)}
