"""The nodes of the conversation: read, confirm, play, explain."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, Literal, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph.message import add_messages, push_message
from langgraph.runtime import Runtime
from langgraph.types import Overwrite, interrupt
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from shapley_coop.games.matrix import MatrixParams
from shapley_coop.graphs.catalogue import builder
from shapley_coop.graphs.chat_table import fault_of, understood
from shapley_coop.graphs.chat_words import settlement_in_words, spoken, table_in_words
from shapley_coop.graphs.threads import App
from shapley_coop.seats import Seat
from shapley_coop.seats.review import Decision, decided, edited, review
from shapley_coop.state import RunConfig, Table, result
from shapley_coop.state.storage.episodes import FOLLOWS

PLAY = "play"
"""The action that is reviewed before it is taken."""

ALLOWED: tuple[Decision, ...] = ("approve", "edit", "respond", "reject")
_YES = re.compile(r"\W*(yes|yep|ok|okay|go|go on|approve|approved|do it|begin|start|play)\W*", re.I)
_NO = re.compile(r"\W*(no|stop|cancel|never mind|reject|forget it)\W*", re.I)
NOT_PLAYED = "Nothing is played. Say what else they should bargain over."


class ChatConfig(BaseModel):
    """How the conversation's tables are played."""

    model_config = ConfigDict(extra="forbid")

    model: str = Field(
        default="embedded:rational",
        title="Model",
        description="provider:name. It reads what you say, and sits at every seat. With "
        "'embedded:…' a program looks for plain sentences, and embedded agents bargain.",
        examples=["embedded:rational", "openai:gpt-5-mini"],
    )
    base_url: str | None = Field(
        default=None, title="Base URL", description="Of any OpenAI-compatible endpoint."
    )
    workflow: Literal[
        "llm_only", "negotiation", "negotiation_priced", "short_term", "shapley_coop", "contracts"
    ] = Field(default="shapley_coop", title="Workflow", description="How they talk and settle.")
    seed: int = Field(default=0, title="Seed", description="Of the embedded agents.")

    def seat(self) -> Seat:
        """Who reads, and who sits at every seat."""
        return Seat(model=self.model, base_url=self.base_url)


class Chat(TypedDict, total=False):
    """The state. Each key: what it is; who writes it; when it is cleared."""

    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation. Written by the person and by every node."""

    since: int
    """How many messages belong to earlier tables. Written by `play`."""

    game: dict[str, Any] | None
    """The table of payoffs that waits for a decision, or was played last. Written by `read` and
    `confirm`. Cleared by `read` and `confirm`, where nothing is to be played."""

    assumed: list[str]
    """What nobody said about it. Written by `read`."""

    verdict: str
    """What the latest node found, by which the page branches. Written by `read` and `confirm`."""

    episode: str
    """The episode played last, which the next one follows. Written by `play`."""

    outcome: dict[str, Any] | None
    """The result of the play. Written by `play`."""


async def read(chat: Chat, runtime: Runtime[ChatConfig]) -> dict[str, Any]:
    """Make a table of what was said, or ask back.

    Verdicts: `ready` (it waits for a decision), `go` (the person said yes to the one that waited),
    `dropped` (said no), and `asked` (something is missing).
    """
    about = _about_this(chat)
    latest = next((str(m.text) for m in reversed(about) if isinstance(m, HumanMessage)), "")
    if chat.get("game") and _YES.fullmatch(latest):
        return {"verdict": "go"}
    if chat.get("game") and _NO.fullmatch(latest):
        return {"verdict": "dropped", "game": None, "messages": [AIMessage(NOT_PLAYED)]}
    found, label = await understood(about, _config(runtime).seat())
    if found.question:
        told = "\n\n".join(filter(None, (found.question, label)))
        return {"verdict": "asked", "game": None, "messages": [AIMessage(told)]}
    game = found.game()
    words = table_in_words(game, found.assumed, label)
    return {
        "verdict": "ready",
        "game": game,
        "assumed": found.assumed,
        "messages": [AIMessage(words)],
    }


def confirm(chat: Chat) -> dict[str, Any]:
    """Wait for the person's decision on the table.

    Verdicts: `go`, `again` (what was edited cannot be played), `said` (words, which are read) and
    `dropped`.
    """
    game = chat["game"] or {}
    said = table_in_words(game, chat.get("assumed", []))
    reply = interrupt(review(PLAY, game, said, ALLOWED, MatrixParams.model_json_schema()))
    decision = {"type": "respond", "message": reply} if isinstance(reply, str) else decided(reply)
    match (decision or {}).get("type"):
        case "approve":
            return {"verdict": "go"}
        case "edit" if isinstance(args := edited(decision or {}), dict):
            if why := fault_of(args):
                return {"verdict": "again", "messages": [AIMessage(f"Not played: {why}.")]}
            return {"verdict": "go", "game": args, "assumed": []}
        case "reject" if not (decision or {}).get("message"):
            return {"verdict": "dropped", "game": None, "messages": [AIMessage(NOT_PLAYED)]}
        case "respond" | "reject":
            words = str((decision or {}).get("message") or "")
            return {"verdict": "said", "messages": [HumanMessage(words)]}
    why = f"I could not read that decision: give one of {', '.join(ALLOWED)}."
    return {"verdict": "again", "messages": [AIMessage(why)]}


async def play(chat: Chat, runtime: Runtime[ChatConfig], config: RunnableConfig) -> dict[str, Any]:
    """Have the workflow play the table; what is said goes on as messages while it is said."""
    chosen = _config(runtime)
    seats = {"*": chosen.seat().model_dump(mode="json", exclude_unset=True)}
    room = {"game": chat["game"], "seed": chosen.seed, "seats": seats}
    follows = {**(config.get("configurable") or {}), FOLLOWS: chat.get("episode", "")}
    place = cast(RunnableConfig, {**config, "configurable": follows})
    table: Any = {}
    stream = _workflow(chosen.workflow).astream(
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


def explain(chat: Chat) -> dict[str, Any]:
    """Tell the settlement in words; the next message begins another table."""
    told = AIMessage(settlement_in_words(chat["outcome"] or {}), id=f"{chat['episode']}.settlement")
    return {"messages": [told], "since": len(chat["messages"]) + 1, "game": None}


def _about_this(chat: Chat) -> Sequence[AnyMessage]:
    return chat.get("messages", [])[chat.get("since", 0) :]


def _config(runtime: Runtime[ChatConfig]) -> ChatConfig:
    return runtime.context or ChatConfig()


def _news(written: Any) -> dict[str, Any]:
    """What an update adds, without the keys that it only clears."""
    if not isinstance(written, dict):
        return {}
    return {key: value for key, value in written.items() if not isinstance(value, Overwrite)}


@cache
def _workflow(name: str) -> App:
    """A workflow without a saver of its own: it is kept in the conversation's thread."""
    return builder(name).compile(name=name)
