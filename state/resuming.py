"""The commands that continue unfinished runs, for messages to the user."""

from shlex import join
from typing import Any

from shapley_coop.seats.seat import PYTHON, is_object
from shapley_coop.state.storage.register import Run


def models_of(run: Run) -> dict[str, str]:
    """Return agent → the model at its seat, for a run."""
    return {agent: seat["model"] for agent, seat in run.room["seats"].items()}


def command_for(run: Run, verb: str, *rest: str) -> str:
    """Return the command that continues a run, with the option that permits Python files at seats.

    If Python objects have seats, return the Python call by which their program continues the run.

    Args:
        run: the run from the register.
        verb: "resume" or "answer".
        rest: further arguments, which are quoted for a shell.
    """
    models = models_of(run)
    if any(map(is_object, models.values())):
        from shapley_coop.seats.objects import onward  # imports LangGraph

        return onward(run.run, models)
    trusting = any(
        model.startswith(f"{PYTHON}:") and _is_foreign(model) for model in models.values()
    )
    return join(["coop", *["--trust-programs"] * trusting, verb, run.run, *rest])


def _is_foreign(model: str) -> bool:
    from shapley_coop.seats.python_seat import needs_permission  # loads all programs

    return needs_permission(model)


def goes_on(run: Run) -> str:
    """Return the register's reason why a run waits or failed, or else the command to resume it."""
    # Whether a worker plays the run is unknown here: asking for its lease would disturb workers.
    onward = f"go on with {command_for(run, 'resume')}"
    return run.why or f"unless it is being played now, {onward}"


def result_of(run: Run) -> dict[str, Any]:
    """Return the result of a run that has ended.

    Raises:
        ValueError: the run has not ended; the message says how to continue it.
    """
    if run.result is None:
        raise ValueError(f"{run.run} has not ended: {goes_on(run)}")
    return run.result
