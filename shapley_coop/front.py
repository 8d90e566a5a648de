"""The public functions to play and resume runs and to compute values; see `shapley_coop`."""

import warnings
from collections.abc import Callable, Coroutine, KeysView, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shapley_coop.amounts import Number
from shapley_coop.blocking import run_blocking
from shapley_coop.outcome import Outcome

if TYPE_CHECKING:
    from shapley_coop.graphs.app import App
    from shapley_coop.graphs.running import Person, Watcher
    from shapley_coop.seats.objects import Seated
    from shapley_coop.state.run_config import RunConfig


async def play(
    graph: str,
    config: "RunConfig | Mapping[str, Any] | None" = None,
    run: str = "",
    watch: "Watcher | None" = None,
    person: "Person | None" = None,
    idempotency_key: str = "",
    **settings: Any,
) -> Outcome:
    """Play a workflow to its settlement.

    Args:
        graph: the workflow's name.
        config: the configuration, or a mapping of its fields: the game, the seats, the limits.
        run: the run's name; if it is empty, a name is generated.
        watch: a function that is called after each node with its name and its update.
        person: a function that answers letters for the people at the table.
        idempotency_key: the job's name; a repetition goes on with its run, or returns the result.
        settings: fields of the configuration, which replace those of `config`. `game` may be a
            `Game`; values of `seats`, functions of a letter and its facts, chat models, or graphs.

    Returns:
        The result that `coop run --json` prints (`docs/run.schema.json`), its fields as attributes.

    Raises:
        TypeError: the game or a seat is an object of an unknown kind.
        ValueError: the workflow, the game, a parameter, an agent, a seat or the key is wrong.
        CredentialsMissing: a seat's key is not set.
        SeatError: a seat did not answer; `coop resume RUN`, or `resume`, continues the run.
        Waiting: people are asked, and no `person` answers for them.
    """
    from shapley_coop.graphs.running import play as played
    from shapley_coop.seats.objects import seat_objects
    from shapley_coop.state.storage.owners import acting_for, holder

    fields, objects = _told_apart(config, settings)
    with seat_objects(objects), acting_for(holder().owner):
        outcome = await _outcome_of(played(graph, fields, run, watch, person, idempotency_key))
    _warn_of_unread(outcome, objects.keys())
    return outcome


def _warn_of_unread(outcome: Outcome, objects: KeysView[str]) -> None:
    """Warn the calling program about unusable answers that its own objects at seats gave."""
    for agent, one in outcome["happened"]["answers"].items():
        if one["unusable"] and not objects.isdisjoint({agent, "*"}):
            warnings.warn(
                f"{agent}: {one['unusable']} of {one['given']} answers could not be used; "
                f"`coop letters {outcome.run}` shows each with its reason",
                stacklevel=2,
            )


def _told_apart(config: Any, settings: Mapping[str, Any]) -> tuple[Any, Mapping[str, "Seated"]]:
    """Return a configuration as plain fields, and separately the objects at its seats."""
    from shapley_coop.games import Game
    from shapley_coop.games.given import recipe_of
    from shapley_coop.seats.objects import told_apart
    from shapley_coop.state.run_config import RunConfig
    from shapley_coop.state.settings import forget_games

    if isinstance(config, RunConfig):
        if not settings:
            return config, {}
        config = config.model_dump(exclude_unset=True)
    fields: dict[str, Any] = {**(config or {}), **settings}
    match fields.get("game", ""):
        case Game() as game:
            forget_games()
            made = recipe_of(game)
            fields = {**made, **fields, "game": made["game"]}
        case str() | Mapping():
            pass
        case other:
            raise TypeError(
                f"game: an object of class {type(other).__name__} is not a game: give a name, a "
                "payoff file, its content, or an instance of a subclass of Game"
            )
    if "seats" not in fields:
        return fields, {}
    fields["seats"], objects = told_apart(fields["seats"])
    return fields, objects


def play_sync(
    graph: str,
    config: "RunConfig | Mapping[str, Any] | None" = None,
    run: str = "",
    watch: "Watcher | None" = None,
    person: "Person | None" = None,
    idempotency_key: str = "",
    **settings: Any,
) -> Outcome:
    """Play a workflow to its settlement and return the result, like `play` but without `await`.

    It also works while an event loop runs, as in a notebook.
    """
    key = idempotency_key
    return run_blocking(play(graph, config, run, watch, person, idempotency_key=key, **settings))


async def resume(
    run: str,
    seats: Mapping[str, Any] | None = None,
    watch: "Watcher | None" = None,
    person: "Person | None" = None,
) -> Outcome:
    """Continue a run that stopped or waits; finished steps are not repeated.

    Args:
        run: the run's name.
        seats: agent → the same object as before; all other seats are read from the record.
        watch: a function that is called after each node with its name and its update.
        person: a function that answers letters for the people at the table.

    Raises:
        TypeError: a seat is an object of an unknown kind.
        ValueError: there is no such run, or the object of a seat is not given again.
        SeatError: a seat did not answer.
        Waiting: people are asked, and no `person` answers for them.
    """
    from shapley_coop.graphs.finding import run_of
    from shapley_coop.graphs.running import follow
    from shapley_coop.seats.objects import seat_objects, told_apart
    from shapley_coop.state.storage.owners import acting_for, holder

    objects = told_apart(seats or {})[1]
    with seat_objects(objects), acting_for(holder().owner):
        return await _outcome_of(follow(await run_of(run), watch, person))


async def _outcome_of(playing: Coroutine[Any, Any, dict[str, Any]]) -> Outcome:
    """Await a play, and raise a seat's failure without its inner frames and LangGraph's note."""
    from shapley_coop.seats.awaited import on_its_own
    from shapley_coop.seats.seat import SeatError

    try:
        return Outcome(await on_its_own(playing))
    except SeatError as error:
        error.__notes__ = []  # drop LangGraph's note: the error's own text names the caller's line
        failure = error.with_traceback(None)
    raise failure


def resume_sync(
    run: str,
    seats: Mapping[str, Any] | None = None,
    watch: "Watcher | None" = None,
    person: "Person | None" = None,
) -> Outcome:
    """Continue a run that stopped or waits, like `resume` but without `await`."""
    return run_blocking(resume(run, seats, watch, person))


def workflow(name: str) -> "App":
    """Return a workflow as a compiled LangGraph graph, without a checkpoint saver.

    Raises:
        ValueError: there is no workflow with this name.
    """
    from shapley_coop.graphs import builder

    return builder(name).compile(name=name)


def shapley(
    agents: Sequence[str], worth: Callable[[frozenset[str]], Number]
) -> dict[str, Fraction]:
    """Compute every agent's exact Shapley value.

    Args:
        agents: the players; at most 20.
        worth: the characteristic function, from a coalition to its worth. It is called once for
            each of the 2**n coalitions.

    Returns:
        Agent → value, in the unit of the worths. The values sum to v(N) − v(∅).

    Raises:
        ValueError: there are too many agents, a name repeats, or a worth is not finite.
    """
    from shapley_coop.credit import shapley_exact, worth_table

    return dict(zip(agents, shapley_exact(worth_table(agents, worth)), strict=True))
