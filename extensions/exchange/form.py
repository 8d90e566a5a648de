"""A person's form in a talk over tasks: the tasks to allocate, and what an allocation is worth."""

from typing import Any

from shapley_coop.extensions.exchange.domain.words import facts_of
from shapley_coop.extensions.exchange.messages.lines import masks_in
from shapley_coop.extensions.exchange.talk import talk_in
from shapley_coop.state.turn import Form, TurnContext


def choices(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return the agents, the tasks with their present and proposed holders, and who proposes.

    `worth` is the agent's utility from the tasks proposed to it, or else from its own tasks, and
    `final` says that the agent can only accept or reject.
    """
    talk = talk_in(turn, agent)
    shown, pending = facts_of(talk.tasks), talk.to_answer(agent)
    put = masks_in(talk.tasks, pending["by"], pending["wrote"]) if pending else None
    registry, atoms, initial = shown["registry"], shown["atoms"], shown["initial"]
    single = [talk.tasks.bits(1 << bit) for bit in reversed(range(len(atoms)))]
    tasks = [
        {
            "says": registry[bits],
            "name": atoms[n]["says"].rstrip("."),
            "held": next(a for a, mask in initial.items() if mask[n] == "1"),
            "proposed": next((a for a, mask in (put or {}).items() if mask[n] == "1"), ""),
        }
        for n, bits in enumerate(single)
        if bits in registry
    ]
    final = talk.is_final(agent, turn.table["round"])
    by = pending and {"by": pending["by"], "worth": put and talk.worth(agent, put[agent])}
    worth = talk.worth(agent, initial[agent])
    known = {"agents": talk.tasks.agents, "tasks": tasks, "pending": by, "worth": worth}
    return {"trade": {**known, "final": final}}


def preview(turn: TurnContext, agent: str, text: str) -> dict[str, Any]:
    """Return as `worth` the agent's utility from an allocation that it proposes; {} for none."""
    talk = talk_in(turn, agent)
    masks = masks_in(talk.tasks, agent, text)
    return {} if masks is None else {"worth": talk.worth(agent, masks[agent])}


FORM = Form(choices, preview)
