"""What an extension brings, and which are installed.

An extension is a package with its code, its tests and one object of named parts. Those of this
distribution are the folders of `extensions/`, each with `EXTENSION` in its `__init__.py`; an
installed package names its own as an entry point::

    [project.entry-points."shapley_coop.extensions"]
    hamlet = "my_package:EXTENSION"

The core knows extensions by this object alone: it imports what a part names when somebody uses it,
and goes on without an extension that is absent.

>>> tug = Extension("tug", "Games with a rope.", games={"tug": "my_package.tug:GAME"})
>>> tug.games["tug"]
'my_package.tug:GAME'
"""

import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal, NamedTuple

from shapley_coop.extras import LibraryMissing

GROUP = "shapley_coop.extensions"

Places = Mapping[str, str]
"""Name → `module:name`, which is imported when it is used."""

Callers = Literal["anybody", "operators", "parties"]
"""Who may use a route: whoever reads it, those who run workflows, those who sit at a table."""


class Setting(NamedTuple):
    """A field that an extension adds to a run's configuration, as `coop run` takes it.

    Attributes:
        flag: the option.
        help: what the option says.
        reads: the place of a callable that reads what is given for one agent, where the option is
            given once for each, as NAME=text.
        kind: the type of its value, where it is given once; bool is a switch.
    """

    flag: str
    help: str
    reads: str = ""
    kind: type = bool


Kind = Literal[
    "additions",
    "games",
    "variants",
    "schemes",
    "formulas",
    "analyses",
    "clauses",
    "seats",
    "programs",
    "questions",
    "words",
    "moves",
    "readings",
    "courses",
    "templates",
    "audits",
    "rechecks",
    "replays",
    "dice",
    "measures",
    "credits",
    "sections",
    "news",
    "pictures",
    "workflows",
    "sandboxes",
    "graphs",
    "routes",
    "suites",
    "batches",
    "players",
    "tenants",
]


@dataclass(frozen=True)
class Extension:
    """One extension; every part may be left out.

    Attributes:
        name: what it is called, as its folder is.
        about: what it is for, in one line; `coop list` and the help of its commands show it.
        games: subclasses of `Game`.
        variants: a game and a parameter that it lacks, as `task_exchange.meetings` → the subclass
            of the game that has it, which plays where the parameter is given.
        schemes: a scheme before a colon → the subclass of `Game` that plays what stands behind it.
        formulas: a fact by which letters give payoffs that are too many for a table → what knows
            them (`shapley_coop.games.symmetric.Formulas`).
        analyses: such a fact → what a contract does to each party's incentives there
            (`shapley_coop.deals.analysis.certificate.Analysis`).
        clauses: a kind → the subclass of `Clause` (`shapley_coop.deals.language.clauses.base`); its
            file imports nothing that imports a deal.
        seats: a provider → a callable of a seat, an agent and a seed that makes a chat model, or a
            `Provider` (`shapley_coop.seats.provider`), which also says what to check.
        programs: a module → its tuple of factories that may sit as `python:module:factory` without
            the operator's leave, since they are shipped.
        questions: what its letters ask for → the `Question` of a workflow (`state.turn`), or, away
            from tables, what seats know of it (`seats.asked.Asked`).
        templates: the name of such a question, or NAME_course → its template's text.
        graphs: a name → a compiled graph that LangGraph's server serves beside the workflows; the
            clone's `langgraph.json` names it by its file. If it asks models, its context names one
            as a seat does, by `model` and `base_url`: these are judged for tenants.
        words: a fact that its questions add to the letters of moves → a callable of all facts that
            returns what the letter says of it.
        moves: such a fact → a callable of the letter's facts and the record that returns an
            embedded agent's action.
        readings: a fact of its games → a callable of the facts of a letter that asks for a move and
            of the record, which returns both as an embedded agent shall read them.
        courses: a fact of its games → a callable of an embedded agent's parts
            (`shapley_coop.seats.embedded.bargaining.Agent`), which returns what it answers there in
            a way of its own: what a letter asks for → a callable that returns the answer.
        audits: an effect that its workflows record → a callable of the game and the record that
            returns what was not played by their rule, a line each.
        rechecks: a node of its workflows → what is recomputed of a run that has it
            (`shapley_coop.evals.rechecks.Recheck`).
        replays: a word of `coop credit RUN --replay` → a callable of the evaluated table, a norm
            and what is called after each coalition, which returns the agents' values by other
            replays, the improvement, and whether with everybody present they did as recorded.
        dice: what `coop credit RUN --dice N` does: a callable of the evaluated table, a norm, N and
            what is called after each of the dice, which returns what is reported.
        measures: the key of a measure that the core names and does not work out (`distance`) → a
            callable of a row and of what stands behind the colon, which returns a number or None.
        credits: a name → a callable of the evaluated table and a norm; what it returns, of which
            people are told the `lines`, stands under the name in what `coop credit RUN` reports.
        sections: a heading of each suite in a sweep's report → a callable of the suite's runs
            (`shapley_coop.evals.sweeps.stored.Stored`), which returns what stands below, as HTML.
        news: a key of its workflows' table → a callable of its value that returns lines to print.
        pictures: a game → a callable of an ended run's table, which draws it as SVG.
        workflows: a name → the workflow that its page compiles.
        sandboxes: what runs programs that are not trusted (`shapley_coop.games.sandbox.Sandbox`).
        routes: a name → a callable that is given the inbox of people's letters and makes Starlette
            routes of the server. Where a library of theirs is absent, the server goes on without.
        callers: a path of these routes → who may use it, where callers have tokens; a path that is
            not named here, nobody.
        suites: a suite's name → the package whose folder holds `name.yaml`.
        batches: a provider → its `shapley_coop.evals.sweeps.playing.Batches`.
        players: what plays a sweep's cells elsewhere: a callable of a URL and the sweep's id
            (`shapley_coop.evals.sweeps.playing.Player`).
        settings: a field that it adds to a run's configuration → how `coop run` takes it.
        additions: the extension's name → what reads these fields and checks answers by them
            (`shapley_coop.state.additions.Addition`).
        tenants: what tells a server's callers apart (`shapley_coop.serve.server.tenancy.Tenancy`).
        commands: what people come for → the words of a command, as `attribute` or `import coopeval`
            → its function.
        first: the first words of those that `coop --help` lists; `coop help --all` has the others.
    """

    name: str
    about: str
    games: Places = field(default_factory=dict)
    variants: Places = field(default_factory=dict)
    schemes: Places = field(default_factory=dict)
    formulas: Places = field(default_factory=dict)
    analyses: Places = field(default_factory=dict)
    clauses: Places = field(default_factory=dict)
    seats: Places = field(default_factory=dict)
    programs: Places = field(default_factory=dict)
    questions: Places = field(default_factory=dict)
    graphs: Places = field(default_factory=dict)
    words: Places = field(default_factory=dict)
    moves: Places = field(default_factory=dict)
    readings: Places = field(default_factory=dict)
    courses: Places = field(default_factory=dict)
    templates: Places = field(default_factory=dict)
    audits: Places = field(default_factory=dict)
    rechecks: Places = field(default_factory=dict)
    replays: Places = field(default_factory=dict)
    dice: Places = field(default_factory=dict)
    measures: Places = field(default_factory=dict)
    credits: Places = field(default_factory=dict)
    sections: Places = field(default_factory=dict)
    news: Places = field(default_factory=dict)
    pictures: Places = field(default_factory=dict)
    workflows: Places = field(default_factory=dict)
    sandboxes: Places = field(default_factory=dict)
    routes: Places = field(default_factory=dict)
    callers: Mapping[str, Callers] = field(default_factory=dict)
    suites: Places = field(default_factory=dict)
    batches: Places = field(default_factory=dict)
    players: Places = field(default_factory=dict)
    settings: Mapping[str, Setting] = field(default_factory=dict)
    additions: Places = field(default_factory=dict)
    tenants: Places = field(default_factory=dict)
    commands: Mapping[str, Places] = field(default_factory=dict)
    first: tuple[str, ...] = ()


class BrokenExtension(ValueError):
    """An extension, or a part of one, cannot be loaded; one line says which, and why."""


def installed() -> Mapping[str, Extension]:
    """Return the extensions that can be loaded, by name: this distribution's, then others'."""
    return {name: found for name, found in _find_all().items() if isinstance(found, Extension)}


def broken() -> Mapping[str, str]:
    """Return why each extension that cannot be loaded cannot, by its name."""
    return {name: found for name, found in _find_all().items() if isinstance(found, str)}


def offered(kind: Kind) -> Mapping[str, tuple[Extension, str]]:
    """Return what all extensions offer of a kind: name → the extension, and the place."""
    return {
        name: (extension, place)
        for extension in installed().values()
        for name, place in getattr(extension, kind).items()
    }


def open_to(path: str) -> Callers | None:
    """Return who may use a path of an extension's route; None for what none names."""
    named = [one.callers[path] for one in installed().values() if path in one.callers]
    return named[0] if named else None


def load(kind: Kind, name: str) -> Any:
    """Import what an extension offers.

    Raises:
        BrokenExtension: it cannot be imported.
        KeyError: no extension offers it.
        LibraryMissing: a library of its extra is not installed.
    """
    _, place = offered(kind)[name]
    try:
        return import_place(place)
    except LibraryMissing:
        raise
    except Exception as error:  # whatever a package that is not ours may do when it is loaded
        raise faulty(kind, name, error) from None


def only(kind: Kind, missing: str) -> Any:
    """Import what an extension offers of a kind of which one is used.

    Raises:
        BrokenExtension: it cannot be imported.
        ValueError: none offers it; `missing` says so.
    """
    for name in offered(kind):
        return load(kind, name)
    raise ValueError(missing)


def import_place(place: str) -> Any:
    """Import what `module:name` names."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)


def faulty(kind: Kind, name: str, error: BaseException | str) -> BrokenExtension:
    """Say in one line why a part of an extension cannot be used."""
    extension, place = offered(kind)[name]
    return BrokenExtension(f"{name} of {extension.name} ({place}): {_one_line(error)}")


@cache
def _find_all() -> Mapping[str, Extension | str]:
    found: dict[str, Extension | str] = {}
    for name in _shipped_names():
        found[name] = _load_entry(EntryPoint(name, f"{GROUP}.{name}:EXTENSION", GROUP))
    for entry in sorted(entry_points(group=GROUP)):
        found.setdefault(entry.name, _load_entry(entry))
    return found


def _shipped_names() -> list[str]:
    try:
        folder = import_module(GROUP)
    except ModuleNotFoundError:  # all were removed
        return []
    return sorted(module.name for module in pkgutil.iter_modules(folder.__path__))


def _load_entry(entry: EntryPoint) -> Extension | str:
    try:
        extension = entry.load()
    except Exception as error:  # whatever a package that is not ours may do when it is loaded
        return f"{entry.name} ({entry.value}): {_one_line(error)}"
    return extension if isinstance(extension, Extension) else f"{entry.value} is no Extension"


def _one_line(error: BaseException | str) -> str:
    said = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    return " ".join(said.split())[:300]
