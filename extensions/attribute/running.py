"""The work of `coop attribute`: it plays and shows progress, asks the user, and prints."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import typer
from pydantic import BaseModel

from shapley_coop.cli.console import note, progress, say_json, show_spinner, write_file
from shapley_coop.extensions.attribute import demo
from shapley_coop.extensions.attribute.attributing import attribute, forecast
from shapley_coop.extensions.attribute.forecast import Forecast
from shapley_coop.extensions.attribute.given import inputs_of, listed
from shapley_coop.extensions.attribute.limits import going_on
from shapley_coop.extensions.attribute.loading import load
from shapley_coop.extensions.attribute.result import AppCredit
from shapley_coop.extensions.attribute.stage import CallsSpent
from shapley_coop.files import did_you_mean

DEMO = "demo"

AGAIN = (
    "nodes are run again without some agents: what they write or send without a LangChain tool is "
    "done again"
)


class Asked(NamedTuple):
    """The app to attribute: its graph, its agents (None if not named), its scorer, its inputs."""

    graph: Any
    agents: list[str] | None
    score: Any
    inputs: Any


def asked(app: str, agents: str, input_: Path | None, score: str, trace: Path | None) -> Asked:
    """Read the app, its scorer and its inputs from the command's options.

    Raises:
        ValueError: a file cannot be read or used, or a scorer or the inputs are not given.
    """
    inputs = inputs_of(input_) if input_ else None
    named = list(listed(agents)) if agents else None
    if app == DEMO:
        scorer = load(score, "--score") if score else demo.score
        return Asked(
            demo.graph,
            named or list(demo.AGENTS),
            scorer,
            demo.INPUTS if inputs is None else inputs,
        )
    if not score:
        raise ValueError("give --score path.py:score, or try coop attribute demo")
    if not input_ and not trace:
        raise ValueError("give --input in.json, or --trace with recorded runs")
    graph = load(app, "the app")
    if input_:
        _check_inputs(inputs, input_, getattr(graph, "builder", None))
    return Asked(graph, named, load(score, "--score"), inputs)


def _check_inputs(inputs: Any, file: Path, builder: Any) -> None:
    """Refuse inputs that are no JSON objects, or have no key of the state, if it has keys.

    Further keys are allowed, because the scorer may read them. Pydantic's states may have aliases.
    """
    keys = list(getattr(builder, "channels", {}))
    schema = getattr(builder, "input_schema", None)
    has_aliases = isinstance(schema, type) and issubclass(schema, BaseModel)
    if not keys or "__root__" in keys:
        return
    for number, one in enumerate(inputs if isinstance(inputs, list) else [inputs], 1):
        if not isinstance(one, Mapping):
            raise ValueError(
                f"{file}: input {number} is {one!r:.60}: an input is an object with keys of the "
                f'state, such as {{"{keys[0]}": …}}'
            )
        if one and not has_aliases and not {*one} & {*keys}:
            name = str(next(iter(one)))
            meant = did_you_mean(name, keys) or f": its keys are {', '.join(keys)}"
            raise ValueError(f"{file}: input {number}: the state has no key {name!r}{meant}")


def foretold(of: Asked, settings: Mapping[str, Any]) -> str:
    """Return a forecast of the calls as one line, without running the app."""
    if of.agents is None:
        raise ValueError("--forecast runs nothing, so it cannot find the agents: give --agents")
    return forecast(of.graph, of.agents, of.inputs, **settings).words()


def attributed(
    of: Asked, settings: Mapping[str, Any], *, may_go_on: bool, asks: bool, acts: bool
) -> AppCredit:
    """Play the coalitions, show progress, and print the forecast to standard error.

    Args:
        of: the app to attribute.
        settings: the settings of `attribute`.
        may_go_on: whether leave-one-out comes first, and a person or the limit allows more plays.
        asks: whether a person at the terminal decides about further plays.
        acts: whether nodes of the user's app run, which may have side effects.
    """
    n, inputs = len(of.agents or ()), of.inputs
    runs = (len(inputs) if isinstance(inputs, list) else 1) * settings["samples"]
    plays = 2**n * runs if 0 < n <= settings["exact_up_to"] else 0

    def announce(found: Forecast) -> None:
        if acts and not found.recorded:
            note(AGAIN)
        note(found.words())
        if found.recorded and found.alone and found.enough > settings["max_calls"]:
            what = "and for the advice " if settings["advise"] else ""
            note(
                f"the calls for this {what}exceed --max-calls {settings['max_calls']}, where the "
                f"plays stop: --max-calls {found.enough} plays all"
            )

    told: dict[str, Any] = {"announce": announce}
    try:
        with show_spinner("playing") if asks else progress(plays, "plays of the app") as shown:
            if may_go_on:
                told["go_on"] = partial(_is_wanted, hidden=shown if asks else None)
            if not asks:
                told["progress"] = shown
            return attribute(of.graph, of.agents, of.score, of.inputs, **told, **settings)
    except CallsSpent as spent:
        raise ValueError(f"{spent}; {going_on(spent.enough)}") from None


def _is_wanted(more: Forecast, *, hidden: Callable[[], Any] | None) -> bool:
    """Return whether to make more plays: the person at the terminal decides, if there is one.

    A person may allow more calls than --max-calls. Without a person, --max-calls decides. Calls
    that ask no model need no permission.
    """
    if not more.paid and more.fits:
        return True
    what = f"advice: {more.most()}" if more.advice else "Shapley for interactions:"
    said = f"{what} {more.plays} plays of the app, {more.takes()}"
    if hidden:
        with hidden():
            return typer.confirm(f"{said}, go on?", err=True)
    is_within = more.fits or more.sampled
    note(said if is_within else f"{said}: not played, --max-calls {more.limit} plays them")
    return is_within


def divide(report: dict[str, Any], bounty: str, currency: str, bargain: str, work: str) -> str:
    """Divide a bounty by value or by the owners' bargain, and add the division to a report.

    Args:
        report: the attribution's JSON.
        bounty: the amount.
        currency: the currency of the amount.
        bargain: the seat that answers for the owners; "" for no bargaining.
        work: an identifier of the work that the bounty pays for.

    Returns:
        The reason why the bounty is not divided; "" if it is divided.
    """
    from shapley_coop.extensions.attribute.bounty import agreed, divided

    values, why = report["values"], ""
    if not values:
        why = next(one for one in report["notes"] if one.startswith("no values"))
    elif max(values.values()) <= 0:
        why = "no agent adds to the score"
    if why:
        return f"--bounty {bounty} is not divided: {why}"
    found = divided(values, bounty, currency)
    report["bounty"] = agreed(found, values, bargain, work) if bargain else found
    return ""


def lacking(credit: AppCredit) -> str:
    """Return the reason and a remedy if values or advice are missing, else ""."""
    notes = [one for one in credit.notes if one.startswith(("no advice", "no values"))]
    if not notes or credit.advice or notes[-1].endswith("it was not wanted"):
        return ""
    missing = any("KeyError" in failure.reason for failure in credit.failures)
    hint = (
        "; agents read what an absent one would have written: --absent blank, or "
        "--absent AGENT=path.py:function"
    )
    return notes[-1] + (hint if missing and notes[-1].startswith("no values") else "")


def tell(
    credit: AppCredit, report: dict[str, Any], app: str, as_json: bool, out: Path | None
) -> None:
    """Write the page if `out` is given, and print the report."""
    from shapley_coop.extensions.attribute.page import page
    from shapley_coop.extensions.attribute.shown import show

    if out:
        write_file(out, page(credit, f"Credit in {app}"))
        note(f"written to {out}")
    if as_json:
        say_json(report)
    else:
        show(credit, report, app)
