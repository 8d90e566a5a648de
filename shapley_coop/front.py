"""Functions of the public front that no room has in this form; import them from `shapley_coop`."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shapley_coop.amounts import Number
from shapley_coop.blocking import run_blocking

if TYPE_CHECKING:
    from shapley_coop.graphs.running import Person, Watcher
    from shapley_coop.graphs.workflow import App
    from shapley_coop.state.run_config import RunConfig


def play_sync(
    graph: str,
    config: "RunConfig | Mapping[str, Any]",
    run: str = "",
    watch: "Watcher | None" = None,
    person: "Person | None" = None,
) -> dict[str, Any]:
    """Play a workflow to its settlement and return the result; the synchronous twin of `play`.

    It also works where an event loop is running already, as in a notebook.

    Args:
        graph: the workflow's name.
        config: what is played, by whom, and within which limits; a mapping of its fields will do.
        run: the run's name; empty: one is made up.
        watch: is called after each node with its name and its update.
        person: answers letters for the people at the table.

    Returns:
        What `coop run --json` prints (`docs/run.schema.json`).

    Raises:
        ValueError: the workflow, the game, a parameter, an agent or a seat is wrong.
        CredentialsMissing: a seat's key is not set.
        SeatError: a seat did not answer; `coop resume RUN` goes on.
        Waiting: people are asked, and no `person` answers for them.
    """
    from shapley_coop.graphs.running import play

    return run_blocking(play(graph, config, run, watch, person))


def workflow(name: str) -> "App":
    """Return a workflow as a compiled LangGraph graph, without a checkpoint saver.

    Raises:
        ValueError: there is no workflow of that name.
    """
    from shapley_coop.graphs import builder

    return builder(name).compile(name=name)


def shapley(
    agents: Sequence[str], worth: Callable[[frozenset[str]], Number]
) -> dict[str, Fraction]:
    """Compute every agent's exact Shapley value.

    Args:
        agents: the players; at most 20.
        worth: the characteristic function: what a coalition is worth. It is called once for each
            of the 2**n coalitions.

    Returns:
        Agent → value, in the unit of the worths. They sum to the worth of all minus that of none.

    Raises:
        ValueError: there are too many agents, a name repeats, or a worth is not finite.
    """
    from shapley_coop.credit import shapley_exact, worth_table

    return dict(zip(agents, shapley_exact(worth_table(agents, worth)), strict=True))
