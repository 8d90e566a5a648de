"""A negotiation as a node of another LangGraph graph."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda

from shapley_coop import Outcome, load_game, play, resume
from shapley_coop.blocking import run_blocking
from shapley_coop.graphs import builder
from shapley_coop.graphs.finding import is_known
from shapley_coop.seats.objects import told_apart
from shapley_coop.seats.seat import HUMAN

Read = str | Callable[[Any], Mapping[str, Any]]
Write = str | Callable[[Outcome], Mapping[str, Any]]


def negotiate(
    agents: Mapping[str, Any],
    about: Any,
    read: Read = "",
    write: Write = "outcome",
    workflow: str = "contracts",
    **settings: Any,
) -> Runnable[Any, dict[str, Any]]:
    """Return a node that plays a workflow to its settlement and writes the outcome to the state.

    In a graph with a checkpointer, a restarted node resumes its run, so the run settles only once.

    Args:
        agents: agent → its seat, as in `play`; the seat of "*" is for all other agents.
        about: the game, as a name, as the content of a payoff file, or as a `Game`.
        read: the key of the state whose text is added to every letter, or a function from the state
            to settings of the run. By default the node reads nothing from the state.
        write: the key of the state for the outcome as plain JSON, or a function from the outcome
            to an update of the state.
        workflow: the workflow's name.
        settings: further fields of the run's configuration, the same in every run.

    Raises:
        TypeError: an object in `agents` is not a seat.
        ValueError: there is no such workflow or game, or a seat is a person (the node cannot wait
            for people).
    """
    builder(workflow)
    told_apart(agents)
    if isinstance(about, str):
        load_game(about)
    people = [agent for agent, given in agents.items() if _is_person(given)]
    if people:
        raise ValueError(
            f"{people[0]} is a person, for whom this node cannot wait: call play(…, person=…) in "
            "your own node"
        )

    node = _Node(agents, {**settings, "game": about}, read, write, workflow)
    return RunnableLambda(node.play_here, afunc=node.play, name=f"negotiate_{workflow}")


@dataclass(frozen=True)
class _Node:
    agents: Mapping[str, Any]
    settings: Mapping[str, Any]
    read: Read
    write: Write
    workflow: str

    async def play(self, state: Any, config: RunnableConfig) -> dict[str, Any]:
        """Play or resume the node's run, and return the update of the state."""
        name = _run_of(config)
        begun: bool = bool(name) and await asyncio.to_thread(is_known, name)
        if begun:
            outcome = await resume(name, self.agents)
        else:
            given = {**self.settings, **_told(state, self.read), "seats": self.agents}
            outcome = await play(self.workflow, run=name, **given)
        if isinstance(self.write, str):
            return {self.write: dict(outcome)}
        return dict(self.write(outcome))

    def play_here(self, state: Any, config: RunnableConfig) -> dict[str, Any]:
        """Play or resume the node's run synchronously, and return the update of the state."""
        return run_blocking(self.play(state, config))


def _is_person(given: Any) -> bool:
    model = given.get("model") if isinstance(given, Mapping) else getattr(given, "model", given)
    return isinstance(model, str) and model == HUMAN


def _told(state: Any, read: Read) -> Mapping[str, Any]:
    if callable(read):
        return read(state)
    if not read:
        return {}
    known = state if isinstance(state, Mapping) else vars(state)
    if read not in known:
        raise ValueError(f"read={read!r}: the state has no such key; it has {', '.join(known)}")
    return {"instructions": known[read]}


def _run_of(config: RunnableConfig) -> str:
    """Return the run's name: a hash of the node's thread and task, or "" if it has no thread."""
    place = config.get("configurable", {})
    if "thread_id" not in place:
        return ""
    task = f"{place['thread_id']}\n{place.get('checkpoint_ns', '')}"
    return f"node-{sha256(task.encode()).hexdigest()[:24]}"
