"""The setup of an attribution: units (samples of inputs), cached calls, and the plays' `Stage`."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from shapley_coop.extensions.attribute.app import App
from shapley_coop.extensions.attribute.calls import Call, Calls
from shapley_coop.extensions.attribute.canonical import canonical, digest, renamed
from shapley_coop.extensions.attribute.owncode import code_of
from shapley_coop.extensions.attribute.settings import Settings
from shapley_coop.extensions.attribute.stage import Stage, Unit
from shapley_coop.extensions.attribute.traces import Recorded, read_traces
from shapley_coop.state.storage.home import home

USUAL_STEPS = 100
"""The limit of steps of a play if neither the user nor the app sets a limit."""


@contextmanager
def opened(app: App, settings: Settings, inputs: Any) -> Iterator[tuple[Stage, list[Unit]]]:
    """Open the cached calls within the `with` block; yield the stage and the units.

    Raises:
        ValueError: there are no inputs, or the trace cannot be used.
    """
    recorded = read_traces(settings.trace) if settings.trace else None
    if recorded and settings.samples > 1:
        raise ValueError(
            f"samples is {settings.samples}, but a trace has one run per input: give 1"
        )
    units = units_of(given_of(inputs, recorded), settings.samples)
    calls = calls_of(app, settings)
    try:
        steps, notes = _steps(app, settings)
        traced = _traced(app, recorded) if recorded else {}
        slots = asyncio.Semaphore(settings.at_once)
        yield Stage(app, settings, calls, steps, recorded, traced, notes=notes, slots=slots), units
    finally:
        calls.close()


def units_of(given: Sequence[Any], samples: int) -> list[Unit]:
    """Return one unit for each sample of each input; equal inputs give separate units."""
    found, seen = [], Counter[str]()
    for number, one in enumerate(given, start=1):
        text = canonical(one)[0]
        found += [Unit(number, one, sample, seen[text]) for sample in range(samples)]
        seen[text] += 1
    return found


def given_of(inputs: Any, recorded: Recorded | None) -> list[Any]:
    """Return the inputs as a list, or the trace's inputs if none are given."""
    if inputs is None and recorded:
        return recorded.inputs
    given = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    if not given:
        raise ValueError("no inputs: give one, or a list of them")
    return given


def calls_of(app: App, settings: Settings) -> Calls:
    """Open an app's cached calls; their key is a hash of code, version, context and answers."""
    about = digest(
        app.fingerprint(),
        *_codes(settings.absent),
        *([canonical(settings.answers)[0]] if isinstance(settings.answers, Mapping) else []),
        *(_codes(settings.answers) if callable(settings.answers) else []),
        settings.version,
        canonical({"context": settings.context, "configurable": _configurable(settings.config)})[0],
    )
    return Calls(settings.cache or home().folder / "attribution" / "calls.sqlite", about[:24])


def _codes(absent: Any) -> list[str]:
    """Return the code of each stand-in or answer that is a function, "" for other values."""
    several = absent.values() if isinstance(absent, Mapping) else [absent]
    return [code_of(one) if callable(one) else "" for one in several]


def _configurable(config: Any) -> Any:
    return (config or {}).get("configurable")


def _steps(app: App, settings: Settings) -> tuple[int, dict[str, str]]:
    """Return the most steps of a play, and a note if that exceeds the app's own limit."""
    own = app.steps(settings.config)
    steps = settings.max_steps or own or USUAL_STEPS
    is_more = own is not None and steps > own
    note = f"plays may take {steps} steps, and the app's own limit is {own}"
    return steps, {"steps": note} if is_more else {}


def _traced(app: App, recorded: Recorded) -> dict[str, dict[int, list[Call]]]:
    """Return a trace's calls: hash of node and input → number of the run → calls."""
    found: dict[str, dict[int, list[Call]]] = {}
    for run in recorded.runs:
        try:
            text, ids = canonical(run.given, app.managed(run.path))
        except KeyError:
            raise ValueError(f"the trace has a node {run.path!r}, which the app lacks") from None
        call = Call(renamed(run.output, ids), run.took)
        found.setdefault(digest(run.path, text), {}).setdefault(run.root, []).append(call)
    return found
