"""`coop attribute`: which agent of a LangGraph app earns its tokens."""

import hashlib
import json
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shapley_coop import extension
from shapley_coop.cli.console import note, progress, say, say_json, waiting, write_file
from shapley_coop.cli.options import Currency, Json, PriceFile
from shapley_coop.extensions.attribute import options as of
from shapley_coop.extras import is_installed, missing

if TYPE_CHECKING:
    from shapley_coop.extensions.attribute.forecast import Forecast
    from shapley_coop.extensions.attribute.result import AppCredit

DEMO = "demo"

_Asked = tuple[Any, list[str] | None, Any, Any]
"""The graph, its agents if they are named, the scorer and the inputs."""


def attribute(
    app: of.App,
    agents: of.Agents = "",
    input_: of.Input = None,
    score: of.Score = "",
    absent: of.Absent = None,
    keep: of.Keep = "",
    samples: of.Samples = 1,
    value: of.Value = "",
    yes: of.Yes = False,
    advise: of.Advise = False,
    cheaper: of.Cheaper = "",
    may_lose: of.MayLose = 0.05,
    fresh: of.Fresh = "",
    safe_tools: of.SafeTools = "",
    max_calls: of.MaxCalls = 200,
    max_steps: of.MaxSteps = None,
    exact_up_to: of.ExactUpTo = 8,
    trace: of.Trace = None,
    context: of.Context = None,
    config: of.Config = None,
    answers: of.Answers = "",
    cache: of.Cache = None,
    version: of.Version = "",
    prices: PriceFile = None,
    bounty: of.Bounty = "",
    currency: Currency = "",
    bargain: of.Bargain = "",
    forecast: of.Forecast = False,
    as_json: Json = False,
    out: of.Out = None,
) -> None:
    """Attribute the score of a LangGraph app to its agents, by playing it without some of them.

    The app runs once as it is; then once without each agent (leave-one-out), then without several
    (Shapley values), on a copy in which stand-ins replace the others. Calls are kept, so that a
    second run makes none.
    """
    if not is_installed("scipy"):
        raise missing("an interval of coop attribute", "scipy", "attribute")
    if bounty and "bounty" not in extension.installed():
        raise ValueError(f"--bounty {bounty} needs the extension bounty: see coop list")
    asked = _app(app, agents, input_, score, trace)
    advise = advise or bool(cheaper)
    value = value or ("leave-one-out" if advise else "")
    advising = {"advise": advise, "cheaper": _models(cheaper), "may_lose": may_lose}
    by = {"value": value, **advising} if value else {}
    plain = {"samples": samples, "cache": cache, "trace": trace, **by}
    limits = {"max_calls": max_calls, "max_steps": max_steps, "exact_up_to": exact_up_to}
    stood_in = {"absent": _absent(absent or []), "keep": _listed(keep)}
    given = {**_given(context=context, config=config), **_prices(prices), **_answers(answers)}
    tools = {"fresh": _fresh(fresh), "safe_tools": _listed(safe_tools)}
    of_version = {"version": version + _file_text(app)}
    settings = {**plain, **limits, **stood_in, **given, **tools, **of_version}
    if forecast:
        say(_foretold(asked, settings))
        return
    may_go_on = not value or advise
    credit = _attributed(asked, settings, may_go_on, asks=sys.stdin.isatty() and not yes)
    report = credit.as_json()
    why, values = "", credit.values
    if bounty and not values:
        why = next(note for note in credit.notes if note.startswith("no values"))
    elif bounty and values and max(values.values()) <= 0:
        why = "no agent adds to the score"
    elif bounty and values:
        paid_for = [app, str(settings["version"]), *_texts(input_, trace), *credit.agents]
        report["bounty"] = _bounty(values, bounty, currency, bargain, json.dumps(paid_for))
    _tell(credit, report, app, as_json, out)
    if why:
        raise ValueError(f"--bounty {bounty} is not divided: {why}")


def _foretold(asked: _Asked, settings: Mapping[str, Any]) -> str:
    """How many calls it would take; nothing runs."""
    from shapley_coop.extensions.attribute.attributing import forecast

    graph, names, _, inputs = asked
    if names is None:
        raise ValueError("--forecast runs nothing, and agents are found in a run: give --agents")
    return forecast(graph, names, inputs, **settings).words()


def _attributed(
    asked: _Asked, settings: Mapping[str, Any], may_go_on: bool, asks: bool
) -> "AppCredit":
    """Play the coalitions, with progress; the forecast goes to standard error."""
    from shapley_coop.extensions.attribute import attribute as attributed
    from shapley_coop.extensions.attribute.stage import CallsSpent

    graph, names, scorer, inputs = asked
    n = len(names or ())
    plays = 2**n if 0 < n <= settings["exact_up_to"] else 0
    told: dict[str, Any] = {"announce": lambda found: note(found.words())}
    try:
        with waiting("playing") if asks else progress(plays, "plays") as shown:
            if may_go_on:
                told["go_on"] = partial(_is_wanted, hidden=shown if asks else None)
            if not asks:
                told["progress"] = shown
            return attributed(graph, names, scorer, inputs, **told, **settings)
    except CallsSpent as spent:
        raise ValueError(
            f"{spent}: they are kept; the same command with a larger --max-calls goes on"
        ) from None


def _is_wanted(more: "Forecast", *, hidden: Callable[[], Any] | None) -> bool:
    """Whether what comes after leave-one-out shall be played: a person is asked, if there is one.

    A person may allow more than --max-calls; where nobody is asked, it holds.
    """
    if not more.calls:
        return True
    what = f"advice: {more.most()}" if more.advice else "Shapley for interactions:"
    said = f"{what} {more.plays} plays, {more.takes()}"
    if hidden:
        with hidden():
            return typer.confirm(f"{said}, go on?", err=True)
    is_within = more.fits or more.sampled
    note(said if is_within else f"{said}: not played, --max-calls {more.calls} plays them")
    return is_within


def _tell(
    credit: "AppCredit", report: dict[str, Any], app: str, as_json: bool, out: Path | None
) -> None:
    """Write the page, and print the report."""
    if out:
        from shapley_coop.extensions.attribute.page import page

        write_file(out, page(credit, f"Credit in {app}"))
        note(f"written to {out}")
    if as_json:
        say_json(report)
        return
    from shapley_coop.extensions.attribute.shown import show

    show(credit, report, app)


def _app(app: str, agents: str, input_: Path | None, score: str, trace: Path | None) -> _Asked:
    """The graph, its agents, the scorer and the inputs."""
    from shapley_coop.extensions.attribute.app import load

    if app == DEMO:
        from shapley_coop.extensions.attribute import demo

        names = _listed(agents) or tuple(demo.AGENTS)
        inputs = _inputs(input_) if input_ else demo.INPUTS
        return demo.graph, list(names), load(score, "--score") if score else demo.score, inputs
    if not score:
        raise ValueError("give --score path.py:score, or try coop attribute demo")
    if not input_ and not trace:
        raise ValueError("give --input in.json, or --trace with recorded runs")
    inputs = _inputs(input_) if input_ else None
    named = list(_listed(agents)) if agents else None
    return load(app, "the app"), named, load(score, "--score"), inputs


def _inputs(file: Path) -> Any:
    """One input, or a list: a JSON file, or JSON lines.

    Raises:
        ValueError: it cannot be read.
    """
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
    from shapley_coop.extensions.attribute.app import load

    if what in ("blank", "silent"):
        return what
    if what.startswith("model:"):
        return _model(what.removeprefix("model:"))
    return load(what, "--absent")


def _model(name: str) -> Any:
    from shapley_coop.seats.models import chat_model
    from shapley_coop.seats.seat import Seat

    return chat_model(Seat(model=name), agent="absent", seed=0)


def _models(given: str) -> tuple[Any, ...]:
    """The chat models that are tried in place of agents' own."""
    from shapley_coop.extensions.attribute.app import load

    names = _listed(given)
    return tuple(load(x, "--cheaper") if ".py:" in x else _model(x) for x in names)


def _listed(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split(",") if name.strip())


def _file_text(app: str) -> str:
    """The app's file and the graph's name in it, as a name: its kept calls are of these."""
    from shapley_coop.extensions.attribute.canonical import digest

    file, _, name = app.rpartition(":")
    path = Path(file)
    return digest(path.read_text(encoding="utf-8"), name) if path.is_file() else ""


def _fresh(given: str) -> str | tuple[str, ...]:
    return given if given in ("", "toolless", "all", "none") else _listed(given)


def _answers(given: str) -> dict[str, Any]:
    from shapley_coop.extensions.attribute.app import load
    from shapley_coop.files import read_data

    if not given:
        return {}
    by_function = ".py:" in given
    return {"answers": load(given, "--answers") if by_function else read_data(given, "answers")}


def _given(**files: Path | None) -> dict[str, Any]:
    """What the files that are given hold, by name."""
    from shapley_coop.files import read_data

    return {name: read_data(file, f"a {name}") for name, file in files.items() if file}


def _prices(file: Path | None) -> dict[str, Any]:
    from shapley_coop.cli.experimenting.results import prices_from

    return {"prices": prices_from(file)}


def _texts(*files: Path | None) -> list[str]:
    """The hash of each file's content; empty where none is given."""
    return [hashlib.sha256(file.read_bytes()).hexdigest() if file else "" for file in files]


def _bounty(
    values: dict[str, float], bounty: str, currency: str, bargain: str, work: str
) -> dict[str, Any]:
    """The bounty by value, and what the owners agree on if they bargain."""
    from shapley_coop.extensions.attribute.bounty import agreed, divided

    found = divided(values, bounty, currency)
    return agreed(found, values, bargain, work) if bargain else found
