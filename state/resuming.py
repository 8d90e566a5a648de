"""How a run that has not ended goes on: the command to give, as messages name it."""

from shlex import join
from typing import Any

from shapley_coop.seats.seat import PYTHON, is_object
from shapley_coop.state.storage.register import Run


def models_of(run: Run) -> dict[str, str]:
    """Return the model at each seat of a run."""
    return {agent: seat["model"] for agent, seat in run.room["seats"].items()}


def command_for(run: Run, verb: str, *rest: str) -> str:
    """The command that goes on with a run; it names the permission that its seats need, if any.

    Where objects of a program sit, it is the call by which that program goes on with it.

    Args:
        run: from the register.
        verb: "resume", "answer".
        rest: further arguments, quoted for a shell where they must be.
    """
    models = models_of(run)
    if any(map(is_object, models.values())):
        from shapley_coop.seats.objects import onward  # loads LangGraph

        return onward(run.run, models)
    trusting = any(
        model.startswith(f"{PYTHON}:") and _is_foreign(model) for model in models.values()
    )
    return join(["coop", *["--trust-programs"] * trusting, verb, run.run, *rest])


def _is_foreign(model: str) -> bool:
    from shapley_coop.seats.python_seat import needs_permission  # loads all programs at seats

    return needs_permission(model)


def goes_on(run: Run) -> str:
    """Return how a run that has not ended goes on: what the register says, or the command."""
    # Whether a worker plays it can only be found out by taking its lease, which would stop others.
    onward = f"go on with {command_for(run, 'resume')}"
    return run.why or f"unless it is being played now, {onward}"


def result_of(run: Run) -> dict[str, Any]:
    """Return the result of a run that has ended.

    Raises:
        ValueError: it has not; says how it goes on.
    """
    if run.result is None:
        raise ValueError(f"{run.run} has not ended: {goes_on(run)}")
    return run.result
