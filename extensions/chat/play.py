"""The node `play`, which runs a workflow on the table and passes its talk on as messages."""

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
    """Return the node that plays the table by a workflow.

    Args:
        workflow: returns a workflow's compiled graph by its name. The graph must have no saver, so
            that the conversation's thread keeps the play.
    """

    async def play(
        chat: Chat, runtime: Runtime[ChatConfig], config: RunnableConfig
    ) -> dict[str, Any]:
        """Run the workflow on the table; pass public talk on as messages during the play."""
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
    """Return the keys that an update adds, without keys that it overwrites."""
    if not isinstance(written, dict):
        return {}
    return {key: value for key, value in written.items() if not isinstance(value, Overwrite)}
