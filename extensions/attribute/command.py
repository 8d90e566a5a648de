"""`coop attribute`: which agent of a LangGraph app earns its tokens."""

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
from shapley_coop.extensions.attribute.given import (
    absent_of,
    answers_of,
    file_text,
    fresh_of,
    given_of,
    inputs_of,
    listed,
    models_of,
    prices_of,
    texts_of,
)
from shapley_coop.extras import is_installed, missing

if TYPE_CHECKING:
    from shapley_coop.extensions.attribute.forecast import Forecast
    from shapley_coop.extensions.attribute.result import AppCredit

DEMO = "demo"

AGAIN = (
    "nodes are run again without some agents: what they write or send without a LangChain tool is "
    "done again"
)

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
    advising = {"advise": advise, "cheaper": models_of(cheaper), "may_lose": may_lose}
    by = {"value": value, **advising} if value else {}
    plain = {"samples": samples, "cache": cache, "trace": trace, **by}
    limits = {"max_calls": max_calls, "max_steps": max_steps, "exact_up_to": exact_up_to}
    stood_in = {"absent": absent_of(absent or []), "keep": listed(keep)}
    given = {**given_of(context=context, config=config), **prices_of(prices), **answers_of(answers)}
    tools = {"fresh": fresh_of(fresh), "safe_tools": listed(safe_tools)}
    of_version = {"version": version + file_text(app)}
    settings = {**plain, **limits, **stood_in, **given, **tools, **of_version}
    if forecast:
        say(_foretold(asked, settings))
        return
    may_go_on = not value or advise
    acts = app != DEMO and fresh != "none" and bool(fresh or not trace)
    asks = sys.stdin.isatty() and not yes
    credit = _attributed(asked, settings, may_go_on, asks, acts)
    report = credit.as_json()
    why, values = "", credit.values
    if bounty and not values:
        why = next(note for note in credit.notes if note.startswith("no values"))
    elif bounty and values and max(values.values()) <= 0:
        why = "no agent adds to the score"
    elif bounty and values:
        paid_for = [app, str(settings["version"]), *texts_of(input_, trace), *credit.agents]
        report["bounty"] = _bounty(values, bounty, currency, bargain, json.dumps(paid_for))
    _tell(credit, report, app, as_json, out)
    if why:
        raise ValueError(f"--bounty {bounty} is not divided: {why}")
    if lacking := _lacking(credit):
        raise ValueError(lacking)


def _lacking(credit: "AppCredit") -> str:
    """Return what was asked for and is not told, with what may help; empty if all is."""
    notes = [note for note in credit.notes if note.startswith(("no advice", "no values"))]
    if not notes or credit.advice or notes[-1].endswith("it was not wanted"):
        return ""
    missing = any("KeyError" in failure.reason for failure in credit.failures)
    hint = (
        "; agents read what an absent one would have written: --absent blank, or "
        "--absent AGENT=path.py:function"
    )
    return notes[-1] + (hint if missing and notes[-1].startswith("no values") else "")


def _foretold(asked: _Asked, settings: Mapping[str, Any]) -> str:
    """Return how many calls it would take; nothing runs."""
    from shapley_coop.extensions.attribute.attributing import forecast

    graph, names, _, inputs = asked
    if names is None:
        raise ValueError("--forecast runs nothing, and agents are found in a run: give --agents")
    return forecast(graph, names, inputs, **settings).words()


def _attributed(
    asked: _Asked, settings: Mapping[str, Any], may_go_on: bool, asks: bool, acts: bool
) -> "AppCredit":
    """Play the coalitions, with progress; the forecast goes to standard error.

    Args:
        asked: what is attributed.
        settings: of it.
        may_go_on: whether more than leave-one-out may be played.
        asks: whether a person is asked.
        acts: whether nodes of somebody's app are run.
    """
    from shapley_coop.extensions.attribute import attribute as attributed
    from shapley_coop.extensions.attribute.stage import CallsSpent

    graph, names, scorer, inputs = asked
    n = len(names or ())
    plays = 2**n if 0 < n <= settings["exact_up_to"] else 0

    def announce(found: "Forecast") -> None:
        if acts and not found.recorded:
            note(AGAIN)
        note(found.words())

    told: dict[str, Any] = {"announce": announce}
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
    """Return the graph, its agents, the scorer and the inputs."""
    from shapley_coop.extensions.attribute.app import load

    if app == DEMO:
        from shapley_coop.extensions.attribute import demo

        names = listed(agents) or tuple(demo.AGENTS)
        inputs = inputs_of(input_) if input_ else demo.INPUTS
        return demo.graph, list(names), load(score, "--score") if score else demo.score, inputs
    if not score:
        raise ValueError("give --score path.py:score, or try coop attribute demo")
    if not input_ and not trace:
        raise ValueError("give --input in.json, or --trace with recorded runs")
    inputs = inputs_of(input_) if input_ else None
    named = list(listed(agents)) if agents else None
    return load(app, "the app"), named, load(score, "--score"), inputs


def _bounty(
    values: dict[str, float], bounty: str, currency: str, bargain: str, work: str
) -> dict[str, Any]:
    """Return the bounty by value, and what the owners agree on if they bargain."""
    from shapley_coop.extensions.attribute.bounty import agreed, divided

    found = divided(values, bounty, currency)
    return agreed(found, values, bargain, work) if bargain else found
