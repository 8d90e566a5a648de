"""`coop run` and `coop resume`: playing."""

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from shapley_coop.cli.awaiting import finish
from shapley_coop.cli.console import complain, note, say, say_json, waiting
from shapley_coop.cli.options import Parameters, pairs, seats_from, settings_from, words

ENDED_IN_ERROR = 1


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(run)
    app.command()(resume)
    app.command()(answer)


def run(
    game: Annotated[
        str,
        typer.Argument(
            help="A game's name, a payoff file (YAML or JSON), or a Python file of your own."
        ),
    ],
    graph: Annotated[
        str, typer.Option("--graph", "-g", help="The workflow; coop list shows them.")
    ] = "shapley_coop",
    seed: Annotated[int, typer.Option(help="Of dice and embedded agents.", min=0)] = 0,
    model: Annotated[
        str,
        typer.Option(
            help="Who answers for everybody: provider:name, with settings after commas, as in "
            "openai:gpt-5-mini,temperature=0.2,timeout=30."
        ),
    ] = "embedded:rational",
    agent: Annotated[
        list[str] | None,
        typer.Option(help="NAME=provider:name[,setting=value…]: who answers for one agent."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Of an OpenAI-compatible endpoint, for every openai: seat.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="key=value: a parameter of the game.")
    ] = None,
    params: Annotated[
        Path | None, typer.Option(help="A YAML or JSON file of the game's parameters.")
    ] = None,
    rounds: Annotated[int, typer.Option(help="Rounds of talk.", min=1, max=50)] = 3,
    recall: Annotated[
        int, typer.Option(help="Latest events that letters tell one by one; 0 is all.", min=0)
    ] = 0,
    warm_cache: Annotated[
        bool,
        typer.Option(
            "--warm-cache",
            help="Ask one of several before the others, for the provider's prefix cache.",
        ),
    ] = False,
    tries: Annotated[int, typer.Option(help="Attempts at one message.", min=1, max=10)] = 3,
    norm: Annotated[str, typer.Option(help="By which values are computed.")] = "shapley",
    constraint: Annotated[
        list[str] | None,
        typer.Option(help="On final transfers: limited_liability, cap=X, tax=X, …"),
    ] = None,
    renegotiate: Annotated[
        str, typer.Option(help="never, on_breach, on_shock, or 'every K' turns.")
    ] = "never",
    enforcement: Annotated[
        str, typer.Option(help="Of contracts: notional, enforced or escrow.")
    ] = "enforced",
    deposit: Annotated[
        str, typer.Option(help="Of each party in escrow; empty: as much as is needed.")
    ] = "",
    budget: Annotated[
        str,
        typer.Option(
            help="What the run may cost, as in calls=200,tokens=50000,seconds=60,agent_calls=40."
        ),
    ] = "",
    deadline: Annotated[
        float, typer.Option(help="Seconds that a person has for a reply; then it is a pass.", min=0)
    ] = 0,
    secrets: Annotated[
        str, typer.Option(help="Name of a file in the home's folder secrets: agent → text.")
    ] = "",
    instructions: Annotated[
        str, typer.Option(help="What every letter says beside the rules: words, or @FILE.")
    ] = "",
    task: Annotated[
        str, typer.Option(help="What a software company builds: a task's name, file or words.")
    ] = "",
    unsafe: Annotated[
        bool, typer.Option("--unsafe-no-sandbox", help="Run foreign code without a sandbox.")
    ] = False,
    name: Annotated[str, typer.Option("--name", help="The run's name.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Play a game with a workflow, to its settlement."""
    from shapley_coop.graphs.running import prepare
    from shapley_coop.state import RunConfig

    given = {
        "game": game,
        "params": settings_from(Parameters(params, set_ or [])) | _company(task, unsafe),
        "seed": seed,
        "seats": seats_from(model, agent or [], base_url),
        "rounds": rounds,
        "tries": tries,
        "recall": recall,
        "warm_cache": warm_cache,
        "norm": norm,
        "constraints": constraint or [],
        "enforcement": enforcement,
        "deposit": deposit,
        "renegotiate": renegotiate,
        "budget": pairs("--budget", budget),
        "deadline": deadline,
        "secrets": secrets,
        "instructions": words("--instructions", instructions),
    }
    prepared = prepare(graph, _room(RunConfig, given), name)
    _follow(prepared, as_json)


def resume(
    run: Annotated[str, typer.Argument(help="The run's name; coop runs lists them.")] = "",
    all_: Annotated[bool, typer.Option("--all", help="Every run that has not ended.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Go on with a run that was stopped; what was finished is not done again."""
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
    """Whether one of many runs went on, here or elsewhere; why not has been said."""
    from shapley_coop.state.storage.leases import Busy, LeaseLost

    try:
        _follow(run, as_json)
    except (Busy, LeaseLost) as elsewhere:
        note(str(elsewhere))
    except SystemExit:
        return False
    return True


def answer(
    run: Annotated[str, typer.Argument(help="The run's name; coop runs lists them.")],
    agent: Annotated[str, typer.Argument(help="For whom.")],
    reply: Annotated[
        str, typer.Argument(help="The message; empty shows the letter that waits.")
    ] = "",
) -> None:
    """Answer a letter for a person at the table, or read it; then coop resume goes on."""
    from shapley_coop.graphs.running import answer as answer_for
    from shapley_coop.graphs.running import table_of
    from shapley_coop.state import home

    found = home().runs.get(run)
    if reply:
        finish(answer_for(found, agent, reply))
        note(f"{agent} has answered; go on with: coop resume {run}")
        return
    table = finish(table_of(found))
    mail = home().journal.mail(table["episode"], agent) if table else None
    if mail is None:
        raise ValueError(f"no letter waits for {agent} in {run}")
    say(mail.letter_text)


def _company(task: str, unsafe: bool) -> dict[str, Any]:
    """The parameters of a software company that have options of their own."""
    if not task and not unsafe:
        return {}
    from shapley_coop.games.software_company.task import read_task

    given: dict[str, Any] = {"task": read_task(task)} if task else {}
    return given | ({"unsafe_no_sandbox": True} if unsafe else {})


def _ask_here(mail: Any) -> str:
    """Ask a person at this terminal."""
    say(f"\n--- {mail.agent}, you are asked to {mail.act} ---\n")
    say(mail.letter_text.partition("# What has happened")[2])
    note(f"{mail.agent}, your message (elements as in the letter; one line):")
    return sys.stdin.readline().strip()


def _room(kind: Any, given: dict[str, Any]) -> Any:
    from pydantic import ValidationError

    try:
        return kind.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{where}: {first['msg'].removeprefix('Value error, ')}") from None


async def _traced(run: Any, watch: Any, person: Any) -> Any:
    """Follow a run; where it is traced, its trace gets the commit, and feedback at the end."""
    import asyncio

    from shapley_coop.graphs.running import follow, table_of
    from shapley_coop.seats.tracing import tracing

    if not tracing():
        return await follow(run, watch, person)
    from shapley_coop.evals.sweeps.feedback import Traced, row_of_run

    traced = Traced()
    outcome = await follow(run, watch, person, traced.config)
    traced.score(await asyncio.to_thread(row_of_run, run, await table_of(run)))
    return outcome


def _follow(run: Any, as_json: bool) -> None:
    from shapley_coop.cli.narration import narrate, nobody_acted, report
    from shapley_coop.graphs.running import Waiting
    from shapley_coop.seats import SeatError
    from shapley_coop.state import home
    from shapley_coop.state.storage.checkpoints.packing import Unreadable
    from shapley_coop.state.storage.leases import Busy, LeaseLost

    watch = (lambda *_: None) if as_json else narrate
    person = _ask_here if sys.stdin.isatty() else None
    try:
        with waiting(f"playing {run.run}"):
            outcome = finish(_traced(run, watch, person))
    except Waiting as pause:
        note(f"{run.run} waits for {', '.join(pause.agents)}: coop answer {run.run} NAME")
        return
    except (Busy, LeaseLost):
        raise
    except Exception as error:
        home().runs.finish(run.run, "failed")
        if os.environ.get("COOP_DEBUG"):
            raise
        # Only these failures are known to hold no private text.
        known = isinstance(error, SeatError | Unreadable)
        why = str(error) if known else type(error).__name__
        more = "" if known else ", or see more with COOP_DEBUG=1"
        complain(f"{run.run} stopped: {why}. Go on with coop resume {run.run}{more}")
        sys.exit(ENDED_IN_ERROR)
    if as_json:
        say_json(outcome)
    else:
        say()
        report(outcome)
    if outcome["status"] == "error" or nobody_acted(outcome):
        sys.exit(ENDED_IN_ERROR)
