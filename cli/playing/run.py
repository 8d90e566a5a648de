"""`coop run` and `coop resume`: play runs."""

import os
import sys
from collections import Counter
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop import extension
from shapley_coop.cli.console import complain, finish, note, say, say_json, show_spinner
from shapley_coop.cli.failures import DEBUG, MORE, reason
from shapley_coop.cli.options import (
    AgentSeats,
    BaseUrl,
    Json,
    Model,
    NoSandbox,
    Personas,
    Port,
    RunName,
    SetPairs,
    personas_from,
    seats_from,
    settings_from,
)
from shapley_coop.cli.playing.people import (
    LOOPBACK,
    Host,
    Pages,
    Serve,
    Serving,
    answered_by,
    tables,
)
from shapley_coop.cli.playing.run_options import (
    IdempotencyKey,
    Played,
    Workflow,
    help_all,
    note_unknown,
    workflow_of,
)
from shapley_coop.cli.stopping import exit_code, received
from shapley_coop.invalid import first_error

if TYPE_CHECKING:
    from shapley_coop.state.run_config import RunConfig

ENDED_IN_ERROR = 1
RESUMED, WAITING, BUSY, STOPPED = "resumed", "waiting", "busy elsewhere", "stopped"


def run(
    ctx: typer.Context,
    game: Played,
    graph: Workflow = "",
    model: Model = "embedded:rational",
    agent: AgentSeats = None,
    base_url: BaseUrl = None,
    persona: Personas = None,
    set_: SetPairs = None,
    params: Annotated[
        Path | None, typer.Option(help="A YAML or JSON file of the game's parameters.")
    ] = None,
    unsafe: NoSandbox = False,
    name: Annotated[str, typer.Option("--name", help="The run's name.")] = "",
    key: IdempotencyKey = "",
    serve: Serve = False,
    host: Host = LOOPBACK,
    port: Port = 0,
    as_json: Json = False,
    _whole: Annotated[
        bool,
        typer.Option(
            "--help-all", callback=help_all, is_eager=True, help="Show every option, and exit."
        ),
    ] = False,
) -> None:
    """Play a game with a workflow until the payoffs are settled."""
    from shapley_coop.graphs.preparing import prepare

    given = {
        "game": game,
        "params": settings_from(set_, params) | ({"unsafe_no_sandbox": True} if unsafe else {}),
        "seats": seats_from(model, agent, base_url),
        "personas": personas_from(persona),
        **ctx.obj,
    }
    served = Serving(serve, host, port)
    begun = prepare(workflow_of(game, graph), served.check(_config(given)), name, key)
    note_unknown(begun)
    _follow(begun, as_json, served)


def resume(
    run: RunName = "",
    all_: Annotated[
        bool, typer.Option("--all", help="Resume all runs that have not ended, but no sweep's.")
    ] = False,
    serve: Serve = False,
    host: Host = LOOPBACK,
    port: Port = 0,
    as_json: Json = False,
    _unsafe: NoSandbox = False,
) -> None:
    """Resume a stopped run; finished work is not repeated."""
    from shapley_coop.state.storage.home import home

    served = Serving(serve, host, port)
    if bool(run) == all_ or (all_ and served.wanted):
        raise ValueError("name one run, or give --all; --serve is for one run")
    if not all_:
        found = home().run(run)
        _check_ready(found)
        _follow(found, as_json, served)
        return
    runs = [one for one in home().list_runs(cells=False) if one.state != "ended"]
    ways = Counter(_go_on(one, as_json) for one in runs)
    others = "".join(f", {ways[way]} {way}" for way in (WAITING, BUSY, STOPPED) if ways[way])
    note(f"{ways[RESUMED]} of {len(runs)} resumed{others}")
    if ways[STOPPED]:
        sys.exit(ENDED_IN_ERROR)


def _go_on(run: Any, as_json: bool) -> str:
    """Resume a run, and return how it ended; it is no error if another process plays the run."""
    from shapley_coop.graphs.same_run import OtherWorkflow
    from shapley_coop.state.storage.leases import Busy, LeaseLost

    _check_not_stopped()
    try:
        _check_ready(run)
        return RESUMED if _follow(run, as_json, Serving()) else WAITING
    except (Busy, LeaseLost) as elsewhere:
        note(str(elsewhere))
        return BUSY
    except OtherWorkflow as other:
        complain(str(other))
    except ValueError as error:
        note(f"{run.run}: {error}")
    except SystemExit:  # the error is printed already
        _check_not_stopped()
    return STOPPED


def _check_not_stopped() -> None:
    if received:
        raise KeyboardInterrupt


def _check_ready(run: Any) -> None:
    """Refuse a run that this process could not play to its end.

    Raises:
        GameError: this process cannot play the game, for example because it lacks a permission.
        ValueError: the encryption key is malformed, or a seat needs an object not in this process.
    """
    from shapley_coop.graphs.same_run import check_objects
    from shapley_coop.state.settings import game_of
    from shapley_coop.state.storage.at_rest import check_key

    check_objects(run)
    game = game_of(run.room)
    if run.state != "ended":
        check_key()
        game.make_ready()


def _config(given: dict[str, Any]) -> "RunConfig":
    from pydantic import ValidationError

    from shapley_coop.state.run_config import RunConfig

    try:
        return RunConfig.model_validate(given)
    except ValidationError as error:
        raise ValueError(str(first_error(error, RunConfig))) from None


async def _follow_traced(
    run: Any, watch: Any, person: Any, pages: Pages | None
) -> tuple[dict[str, Any], Any]:
    """Play a run; if tracing is on, add the git commit and final scores to the run's trace."""
    from shapley_coop.graphs.running import follow
    from shapley_coop.graphs.threads import table_of
    from shapley_coop.seats.tracing import tracing

    play = pages.follow if pages else partial(follow, run, person=person)
    if not tracing():
        return await play(watch), None
    from shapley_coop.evals.langsmith.feedback import score_trace, traced_with

    outcome = await play(watch, traced=traced_with())
    return outcome, score_trace(await table_of(run))


def _tell_trace(outcome: dict[str, Any], sent: Any) -> None:
    """Wait briefly for LangSmith to return the link to a run's trace, and print the link."""
    from shapley_coop.seats.feedback import link_to
    from shapley_coop.seats.tracing import patience, trace_of

    trace = trace_of(outcome["episode"])
    if trace is None:
        return
    link = link_to(trace, sent, patience())
    note(f"trace: {link}" if link else "LangSmith has not answered: the trace may be incomplete")


def _note_failure(run: Any, error: Exception) -> str:
    """Record in the register why a run stopped, and return the reason as a line."""
    from shapley_coop.state.resuming import command_for
    from shapley_coop.state.storage.databases import errors
    from shapley_coop.state.storage.home import home
    from shapley_coop.state.storage.register import FAILED

    why = reason(error) or f"{type(error).__name__}, {MORE}"
    onward = command_for(run, "resume")
    # If this writing to the register also fails, the run's registered state remains `started`.
    with suppress(*errors(OSError)):
        home().runs.finish(run.run, FAILED, why=f"{why}; go on with {onward}")
    return f"{run.run} stopped: {why}. Go on with {onward}"


def _follow(run: Any, as_json: bool, served: Serving) -> bool:
    """Play a run, print its result, and keep serving people's pages, if any, until Ctrl-C.

    Return whether the run has ended; False if it waits for people.
    """
    from shapley_coop.cli.playing.narration import Narrator, in_brief, report
    from shapley_coop.graphs.running import Waiting
    from shapley_coop.state.outcome import FAILED
    from shapley_coop.state.resuming import command_for

    pages = served.pages(run, as_json)
    try:
        outcome, sent = _played(run, (lambda *_: None) if as_json else Narrator().watch, pages)
    except Waiting as pause:
        who = pause.agents
        onward = answered_by(command_for(run, "answer", who[0]))
        note(f"{run.run} waits for {', '.join(who)}: {onward}")
        return False
    except (EOFError, KeyboardInterrupt) as left:
        how = "waits" if isinstance(left, EOFError) else "was interrupted"
        onward = command_for(run, "resume", *["--serve"] * served.wanted)
        note(f"{run.run} {how}: go on with {onward}")
        sys.exit(exit_code())
    if as_json:
        from shapley_coop.evals.measures.reasons import record_and_reasons

        say_json({**outcome, **finish(record_and_reasons(run))})
    else:
        say()
        report(outcome)
    _tell_trace(outcome, sent)
    if pages:
        tables("--serve").stay()
    if outcome["status"] in FAILED or outcome.get("lapsed"):
        if as_json:  # without JSON, `report` has said why
            complain(in_brief(outcome))
        sys.exit(ENDED_IN_ERROR)
    return True


def _played(run: Any, watch: Any, pages: Pages | None) -> tuple[dict[str, Any], Any]:
    """Play a run to its end; return its result and, if traced, the event set by `score_trace`.

    Raises:
        SystemExit: the run failed; the error is printed and entered in the register.
        Exception: the run waits, is interrupted, or cannot be played by this process.
    """
    from shapley_coop.graphs.running import Waiting
    from shapley_coop.graphs.same_run import OtherWorkflow
    from shapley_coop.state.storage.leases import Busy, LeaseLost
    from shapley_coop.state.storage.versions import OtherVersion

    try:
        with show_spinner(f"playing {run.run}") as hidden:
            here = sys.stdin.isatty() and not pages and extension.offered("tables")
            person = tables("a terminal").at_terminal(hidden) if here else None
            return finish(_follow_traced(run, watch, person, pages))
    except (Waiting, EOFError, Busy, LeaseLost, OtherVersion, OtherWorkflow):
        raise
    except Exception as error:
        stopped = _note_failure(run, error)
        if os.environ.get(DEBUG):
            raise
        complain(stopped)
        sys.exit(ENDED_IN_ERROR)
