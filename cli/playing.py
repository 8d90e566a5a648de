"""`coop run`, `resume` and `answer`: playing."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop.cli.console import complain, finish, note, say, say_json, waiting
from shapley_coop.cli.failures import DEBUG, MORE, reason
from shapley_coop.cli.options import (
    AgentSeats,
    BaseUrl,
    Json,
    Model,
    Personas,
    RunName,
    SetPairs,
    complete_games,
    complete_graphs,
    personas_from,
    seats_from,
    settings_from,
)
from shapley_coop.files import first_error

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from shapley_coop.state import RunConfig

ENDED_IN_ERROR = 1


def run(
    ctx: typer.Context,
    game: Annotated[
        str,
        typer.Argument(
            help="A game's name, a payoff file (YAML or JSON), a Python file of your own, or "
            "pettingzoo:package.module:factory.",
            autocompletion=complete_games,
        ),
    ],
    graph: Annotated[
        str,
        typer.Option(
            "--graph",
            "-g",
            help="The workflow; coop list shows them.",
            autocompletion=complete_graphs,
        ),
    ] = "shapley_coop",
    model: Model = "embedded:rational",
    agent: AgentSeats = None,
    base_url: BaseUrl = None,
    persona: Personas = None,
    set_: SetPairs = None,
    params: Annotated[
        Path | None, typer.Option(help="A YAML or JSON file of the game's parameters.")
    ] = None,
    task: Annotated[
        str,
        typer.Option(help="What a software company builds: by name, by file, or in words."),
    ] = "",
    unsafe: Annotated[
        bool, typer.Option("--unsafe-no-sandbox", help="Run foreign code without a sandbox.")
    ] = False,
    name: Annotated[str, typer.Option("--name", help="The run's name.")] = "",
    as_json: Json = False,
) -> None:
    """Play a game with a workflow, to its settlement."""
    from shapley_coop.graphs.running import prepare

    given = {
        "game": game,
        "params": settings_from(set_, params) | _company(task, unsafe),
        "seats": seats_from(model, agent, base_url),
        "personas": personas_from(persona),
        **ctx.obj,
    }
    _follow(prepare(graph, _config(given), name), as_json)


def resume(
    run: RunName = "",
    all_: Annotated[bool, typer.Option("--all", help="Every run that has not ended.")] = False,
    as_json: Json = False,
) -> None:
    """Resume a stopped run; finished work is not repeated."""
    from shapley_coop.state import home

    if bool(run) == all_:
        raise ValueError("name one run, or give --all")
    if not all_:
        _follow(home().runs.get(run), as_json)
        return
    runs = [one for one in home().runs.list() if one.state != "ended"]
    stopped = [one.run for one in runs if not _went_on(one, as_json)]
    note(f"{len(runs) - len(stopped)} of {len(runs)} resumed")
    if stopped:
        sys.exit(ENDED_IN_ERROR)


def _went_on(run: Any, as_json: bool) -> bool:
    """Return whether a run went on, here or elsewhere; if not, the reason is printed."""
    from shapley_coop.state.storage.leases import Busy, LeaseLost

    try:
        _follow(run, as_json)
    except (Busy, LeaseLost) as elsewhere:
        note(str(elsewhere))
    except SystemExit:
        return False
    return True


def answer(
    run: RunName,
    agent: Annotated[str, typer.Argument(help="The agent whom the person plays.")],
    reply: Annotated[
        str, typer.Argument(help="The message; if it is left out, the waiting letter is printed.")
    ] = "",
) -> None:
    """Read the waiting letter of a person, and answer it; coop resume then goes on.

    A reply is taken for a letter that was read here: of two replies in a row, the second would
    bind its author to an answer to a letter that it has not seen.
    """
    from shapley_coop.state import home

    found = home().runs.get(run)
    episode, mail = _mail_of(found, agent)
    if not reply:
        if mail is None:
            raise ValueError(f"no letter waits for {agent} in {run}")
        say(mail.letter_text)
        home().read_letters.add(episode, mail)
        return
    if mail is not None and not home().read_letters.has(episode, mail):
        raise ValueError(
            f"{agent} has not read the letter that waits, so that no reply to it is taken: "
            f"read it with coop answer {run} {agent}"
        )
    _reply(found, agent, reply)


def _reply(run: Any, agent: str, reply: str) -> None:
    """Hand in a reply; one that is refused is told why, and the letter waits on."""
    from shapley_coop.graphs.running import answer as answer_for
    from shapley_coop.state import home

    fault = finish(answer_for(run, agent, reply))
    episode, mail = _mail_of(run, agent)
    if fault:
        if mail is not None:
            home().read_letters.add(episode, mail)  # the same letter, with the reason told here
        raise ValueError(f"not taken ({fault.label}): {fault.feedback}")
    if mail is not None:
        note(f"{agent} has answered, and is asked again: coop answer {run.run} {agent}")
    else:
        note(f"{agent} has answered; go on with: coop resume {run.run}")


def _mail_of(run: Any, agent: str) -> tuple[str, Any]:
    """The run's episode, and the letter that waits for an agent, or None."""
    from shapley_coop.graphs.threads import table_of
    from shapley_coop.state import home

    table = finish(table_of(run))
    episode = table.get("episode", "")
    return episode, home().journal.mail(episode, agent) if episode else None


def _company(task: str, unsafe: bool) -> dict[str, Any]:
    """Return the parameters of a software company that have options of their own."""
    if not task and not unsafe:
        return {}
    from shapley_coop.games.software_company.task import read_task

    given: dict[str, Any] = {"task": read_task(task)} if task else {}
    return given | ({"unsafe_no_sandbox": True} if unsafe else {})


def _ask_here(mail: Any) -> str:
    """Ask a person at this terminal."""
    say(f"\n--- {mail.agent}, you are asked to {mail.act} ---\n")
    say("# So far" + mail.letter_text.partition("\n# So far")[2])
    note(f"{mail.agent}, your message (elements as in the letter; one line):")
    return sys.stdin.readline().strip()


def _asking(hidden: "Callable[[], AbstractContextManager[None]]") -> "Callable[[Any], Any]":
    """Ask a person at this terminal, without a spinner that moves while they type."""

    def ask(mail: Any) -> str:
        with hidden():
            return _ask_here(mail)

    return ask


def _config(given: dict[str, Any]) -> "RunConfig":
    from pydantic import ValidationError

    from shapley_coop.state import RunConfig

    try:
        return RunConfig.model_validate(given)
    except ValidationError as error:
        raise ValueError(str(first_error(error, RunConfig))) from None


async def _traced(run: Any, watch: Any, person: Any) -> Any:
    """Follow a run; if it is traced, add the commit to its trace, and feedback at its end."""
    import asyncio

    from shapley_coop.graphs.running import follow
    from shapley_coop.graphs.threads import table_of
    from shapley_coop.seats.tracing import tracing

    if not tracing():
        return await follow(run, watch, person)
    from shapley_coop.evals.sweeps.feedback import Traced
    from shapley_coop.evals.sweeps.rows import row_of
    from shapley_coop.evals.sweeps.suite import Cell

    traced, cell = Traced(), Cell(suite="", labels={}, graph=run.graph, room=run.room)
    outcome = await follow(run, watch, person, traced.config)
    try:
        traced.score(await asyncio.to_thread(row_of, cell, await table_of(run)))
    except Exception as error:
        # The run has ended and is paid: what cannot be told of it changes nothing.
        note(f"{run.run}: no feedback was sent to its trace ({type(error).__name__})")
    return outcome


def _follow(run: Any, as_json: bool) -> None:
    from shapley_coop.cli.narration import narrate, report
    from shapley_coop.cli.reasoning import reasons_in
    from shapley_coop.graphs.running import Waiting
    from shapley_coop.state import home
    from shapley_coop.state.outcome import FAILED
    from shapley_coop.state.storage.leases import Busy, LeaseLost
    from shapley_coop.state.storage.register import FAILED as FAILED_STATE

    watch = (lambda *_: None) if as_json else narrate
    try:
        with waiting(f"playing {run.run}") as hidden:
            person = _asking(hidden) if sys.stdin.isatty() else None
            outcome = finish(_traced(run, watch, person))
    except Waiting as pause:
        who = pause.agents
        note(f"{run.run} waits for {', '.join(who)}: coop answer {run.run} {who[0]}")
        return
    except (Busy, LeaseLost):
        raise
    except Exception as error:
        why = reason(error) or f"{type(error).__name__}, {MORE}"
        home().runs.finish(run.run, FAILED_STATE, why=f"{why}; go on with coop resume {run.run}")
        if os.environ.get(DEBUG):
            raise
        complain(f"{run.run} stopped: {why}. Go on with coop resume {run.run}")
        sys.exit(ENDED_IN_ERROR)
    if as_json:
        say_json({**outcome, **finish(reasons_in(run))})
    else:
        say()
        report(outcome)
    if outcome["status"] in FAILED or outcome.get("lapsed"):
        sys.exit(ENDED_IN_ERROR)
