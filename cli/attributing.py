"""`coop attribute`: which agent of a LangGraph app earns its tokens."""

from pathlib import Path
from typing import Annotated, Any

import typer

from shapley_coop.cli.console import note, progress, say, say_json, write_file
from shapley_coop.cli.options import Json, PriceFile

DEMO = "demo"


def attribute(
    app: Annotated[
        str, typer.Argument(help="path.py:graph, a compiled StateGraph; or demo, a bundled app.")
    ],
    agents: Annotated[
        str,
        typer.Option(
            help="The nodes that are agents, separated by commas; team/writer is a "
            "node of a subgraph."
        ),
    ] = "",
    input_: Annotated[
        Path | None, typer.Option("--input", help="in.json: one input or a list; or inputs.jsonl.")
    ] = None,
    score: Annotated[
        str, typer.Option(help="path.py:score: a function of the final state (and the input).")
    ] = "",
    absent: Annotated[
        list[str] | None,
        typer.Option(
            help="What stands in for absent agents: blank, silent, path.py:function, or "
            "model:provider:name; AGENT=… for one of them."
        ),
    ] = None,
    keep: Annotated[
        str, typer.Option(help="Keys that absent agents write as they did, such as a counter.")
    ] = "",
    samples: Annotated[int, typer.Option(help="Plays of each coalition and input.", min=1)] = 1,
    value: Annotated[str, typer.Option(help="shapley, banzhaf, leave_one_out, …")] = "shapley",
    fresh: Annotated[
        str,
        typer.Option(
            help="Whose tools may act again: toolless (nobody's), all, or nodes, "
            "separated by commas; none: nobody is asked anything new. toolless, with "
            "--trace none, if not given."
        ),
    ] = "",
    safe_tools: Annotated[
        str, typer.Option(help="Tools that may act again, because they change nothing.")
    ] = "",
    max_calls: Annotated[int, typer.Option(help="New node calls, at most.", min=1)] = 200,
    max_steps: Annotated[int, typer.Option(help="Steps of one play, at most.", min=1)] = 100,
    exact_up_to: Annotated[
        int, typer.Option(help="Agents up to which all coalitions are played.", min=1)
    ] = 8,
    trace: Annotated[
        Path | None, typer.Option(help="A LangSmith export: its node runs are not made again.")
    ] = None,
    context: Annotated[Path | None, typer.Option(help="A file with the app's context.")] = None,
    cache: Annotated[Path | None, typer.Option(help="The file of kept calls.")] = None,
    version: Annotated[
        str, typer.Option(help="Names prompts and models that the app's files do not show.")
    ] = "",
    prices: PriceFile = None,
    bounty: Annotated[str, typer.Option(help="An amount to divide by the values.")] = "",
    currency: Annotated[str, typer.Option(help="Of the bounty; only shown.")] = "",
    bargain: Annotated[
        str, typer.Option(help="provider:name: the agents' owners bargain over the bounty.")
    ] = "",
    forecast: Annotated[bool, typer.Option(help="Only say how many calls it would take.")] = False,
    as_json: Json = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write an HTML page.")] = None,
) -> None:
    """Attribute the score of a LangGraph app to its agents, by playing it without some of them.

    The app runs once as it is; then every coalition of agents is played on a copy, in which the
    others are stood in for. Calls are kept, so that a second run makes none.
    """
    from shapley_coop.evals.attribution import CallsSpent
    from shapley_coop.evals.attribution import attribute as attributed

    graph, names, scorer, inputs = _app(app, agents, input_, score, trace)
    settings: dict[str, Any] = {
        "absent": _absent(absent or []),
        "keep": _listed(keep),
        "samples": samples,
        "value": value,
        "fresh": fresh if fresh in ("", "toolless", "all", "none") else _listed(fresh),
        "safe_tools": _listed(safe_tools),
        "max_calls": max_calls,
        "max_steps": max_steps,
        "exact_up_to": exact_up_to,
        "cache": cache,
        "version": version + _file_text(app),
        "trace": trace,
        **_context(context),
        **_prices(prices),
    }
    if forecast:
        from shapley_coop.evals.attribution.attributing import forecast as foretell

        say(foretell(graph, names, inputs, **settings).words())
        return
    try:
        with progress(2 ** len(names) if len(names) <= exact_up_to else 0, "coalitions") as done:
            told = {"progress": done, "announce": lambda found: note(found.words())}
            credit = attributed(graph, names, scorer, inputs, **told, **settings)
    except CallsSpent as spent:
        raise ValueError(
            f"{spent}: they are kept; the same command with a larger --max-calls goes on"
        ) from None
    report = credit.as_json()
    if bounty:
        report["bounty"] = _bounty(credit.values, bounty, currency, bargain)
    if out:
        from shapley_coop.evals.attribution.page import page

        write_file(out, page(credit, f"Credit in {app}"))
        note(f"written to {out}")
    if as_json:
        say_json(report)
        return
    from shapley_coop.cli.attributing_shown import show

    show(credit, report, app)


def _app(
    app: str, agents: str, input_: Path | None, score: str, trace: Path | None
) -> tuple[Any, list[str], Any, Any]:
    """The graph, its agents, the scorer and the inputs."""
    from shapley_coop.evals.attribution.app import load

    if app == DEMO:
        from shapley_coop.evals.attribution import demo

        names = _listed(agents) or tuple(demo.AGENTS)
        inputs = _inputs(input_) if input_ else demo.INPUTS
        return demo.graph, list(names), load(score, "--score") if score else demo.score, inputs
    if not agents or not score:
        raise ValueError("give --agents a,b and --score path.py:score, or try coop attribute demo")
    if not input_ and not trace:
        raise ValueError("give --input in.json, or --trace with recorded runs")
    inputs = _inputs(input_) if input_ else None
    return load(app, "the app"), list(_listed(agents)), load(score, "--score"), inputs


def _inputs(file: Path) -> Any:
    """One input, or a list: a JSON file, or JSON lines.

    Raises:
        ValueError: it cannot be read.
    """
    import json

    from shapley_coop.files import read_json, read_text

    if file.suffix != ".jsonl":
        return read_json(file, "inputs")
    found = []
    for number, line in enumerate(read_text(file, "inputs").splitlines(), start=1):
        if line.strip():
            try:
                found.append(json.loads(line))
            except ValueError as error:
                raise ValueError(f"{file}, line {number}: it is no JSON: {error}") from None
    return found


def _absent(given: list[str]) -> Any:
    """What stands in for absent agents, all of them or one by one."""
    by_agent: dict[str, Any] = {}
    for one in given:
        agent, equals, what = one.partition("=")
        if not equals:
            if len(given) > 1:
                raise ValueError(f"--absent {one}: of several, each is AGENT=…")
            return _stand_in(one)
        by_agent[agent.strip()] = _stand_in(what.strip())
    return by_agent or "blank"


def _stand_in(what: str) -> Any:
    from shapley_coop.evals.attribution.app import load

    if what in ("blank", "silent"):
        return what
    if what.startswith("model:"):
        from shapley_coop.seats import Seat, chat_model

        return chat_model(Seat(model=what.removeprefix("model:")), agent="absent", seed=0)
    return load(what, "--absent")


def _listed(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split(",") if name.strip())


def _file_text(app: str) -> str:
    """The app's file, as a name: its kept calls are of this text."""
    from shapley_coop.evals.attribution.canonical import digest

    file = Path(app.rpartition(":")[0])
    return digest(file.read_text(encoding="utf-8")) if file.is_file() else ""


def _context(file: Path | None) -> dict[str, Any]:
    from shapley_coop.files import read_data

    return {"context": read_data(file, "a context")} if file else {}


def _prices(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    from shapley_coop.evals.sweeps.prices import read_prices

    return {"prices": read_prices(file)}


def _bounty(
    values: dict[str, float] | None, bounty: str, currency: str, bargain: str
) -> dict[str, Any]:
    """The bounty by value, and what the owners agree on if they bargain."""
    from shapley_coop.cli.attributing_bounty import agreed, divided

    if values is None:
        raise ValueError("there are no values: a bounty cannot be divided by them")
    found = divided(values, bounty, currency)
    return agreed(found, values, bargain) if bargain else found
