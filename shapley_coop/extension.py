"""The parts of an extension, and the installed extensions.

An extension is a package with code, tests, and one object that names its parts. The folders of
`extensions/` are this distribution's extensions, each with `EXTENSION` in its `__init__.py`. An
installed package names its object as an entry point::

    [project.entry-points."shapley_coop.extensions"]
    hamlet = "my_package:EXTENSION"

The core knows an extension by this object alone. The core imports a part when the part is first
used, and works without absent extensions.
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
"""Name → `module:name`, which is imported at its first use."""

Callers = Literal["anybody", "operators", "parties"]
"""The callers that may use a route: all callers, operators of workflows, or parties at a table."""


class Setting(NamedTuple):
    """A field that an extension adds to a run's configuration, as an option of `coop run`.

    Attributes:
        flag: the name of the option of `coop run`.
        help: the option's help text.
        reads: the `module:name` of a callable that reads an agent's text, if the option is given
            once for each agent as NAME=text; otherwise empty.
        kind: the type of the value, if the option is given once; bool makes the option a switch.
    """

    flag: str
    help: str
    reads: str = ""
    kind: type = bool


class Norm(NamedTuple):
    """A norm: a rule that gives each agent's value in a coalitional game.

    Attributes:
        of_table: the `module:name` of a function from a table of 2ⁿ worths to n values.
        of_many: the `module:name` of a function that takes a game of any number of agents
            (`credit.characteristic.Characteristic`) and the norm's name, and returns an
            `Attribution`; empty if the norm needs all 2ⁿ worths.
        most: if `of_many` is empty, the largest number of agents (at most 16) with which every game
            has values under the norm; 0 if only special games have them.
    """

    of_table: str
    of_many: str = ""
    most: int = 16


@dataclass(frozen=True)
class Extension:
    """One extension; every part is optional. Names of types are relative to `shapley_coop`.

    Attributes:
        name: the extension's name, which is also its folder's name.
        about: the extension's purpose in one line, for `coop list` and for the commands' help.
        games: a game's name → the subclass of `Game`.
        variants: a game and a parameter that it lacks, as GAME.PARAMETER → the subclass that has
            this parameter. A run that sets the parameter plays the subclass.
        opened: a parameter of its games that can name a file → the test of whether a value does.
        private: a private fact of its games → a function from its value to words, for letters.
        schemes: the part of a game's name before a colon → the subclass of `Game` that plays it.
        formulas: a fact that states payoffs by a formula, for games too large for a table → the
            module that reads this fact (`games.symmetric.Formulas`).
        analyses: a fact that states payoffs by a formula → the analysis of each party's incentives
            in a contract (`deals.analysis.certificate.Analysis`).
        clauses: a kind of clause → the subclass of `Clause`
            (`shapley_coop.deals.language.clauses.base`); its module must not import deals.
        seats: a provider → a callable that makes a chat model from a seat, an agent and a seed; or
            a `Provider` (`seats.provider`), which also declares checks.
        programs: a module → its factories of seats (`seats.python_seat`) that need no permission.
        certificates: a name → a callable from a sound certificate and the game's facts to a section
            of the report of `coop contract check`, as JSON stored under the name and as lines.
        questions: a question's name → the `Question` of a workflow (`state.turn`), or for letters
            that no workflow sends, only its part for seats (`seats.asked.Asked`).
        templates: a question's name → its letter's template; NAME_course → that of the procedure.
        graphs: a name → a compiled graph that LangGraph's server serves beside the workflows. Its
            context names models as seats do (`model`, `base_url`), and the server checks them.
        moves: a fact in the extension's letters for actions → a callable from the letter's facts
            and the record to an action.
        readings: a fact of the extension's games → a function that converts the facts and the
            record of a letter that asks for an action into the form that an embedded agent reads.
        courses: a fact of the extension's games → a function from an embedded agent
            (`seats.embedded.bargaining.Agent`) to a mapping: a question's name → a special answer.
        audits: an effect that the extension's workflows record → a function of the game and the
            record that returns a line for each breach of the workflow's rule.
        rechecks: a node of the extension's workflows → its recheck (`evals.rechecks.Recheck`).
        norms: a name → a norm, which runs, deals and `coop credit` can name.
        files: the function that computes `coop credit FILE`. It takes the file, a norm and whether
            to print JSON, and prints the credit of the game in the file.
        replays: a value of `coop credit RUN --replay` → a function of the evaluated table, a norm
            and a callback for each coalition. It returns the agents' values, the improvement, and
            whether the replay of all agents agrees with the record.
        dice: the function that computes `coop credit RUN --dice N`. It takes the evaluated table, a
            norm, N and a callback for each seed, and returns the report.
        measures: the key of a measure that the core names but cannot compute (`distance`) → a
            callable from a row and the text after the colon to a number or None.
        credits: a name → a callable from the evaluated table and a norm to a section of the report
            of `coop credit RUN`, stored under the name; a terminal shows the section's `lines`.
        sections: a heading of a suite's report → a callable from runs and links to them to HTML.
        news: a key that its workflows add to the table → a callable from its value to lines.
        pictures: a game → a callable from the table of an ended run to an SVG picture.
        workflows: a workflow's name → the graph that its module (page) compiles.
        sandboxes: a name → a sandbox (`games.sandbox.Sandbox`).
        routes: a name → a callable that returns Starlette routes of the server. If a library or an
            extension that the routes need is absent, the server runs without them.
        callers: a path of the `routes` → the callers that may use the path if callers have tokens.
            If they do, no caller may use a path without an entry.
        suites: a suite's name → the package whose folder has the suite, as NAME.yaml.
        suite_checks: a name → a callable that raises ValueError for an unusable suite.
        batches: a provider → its `Batches`, as the extension of sweeps defines them.
        players: a name → a callable that returns a `Player` of the cells on servers.
        gates: a key of a run's metadata → a coroutine function that asks a seat as soon as the
            key's value allows it, given the value, the seat, the letter, and what asks once.
        settings: a new field of a run's configuration → the option of `coop run`.
        additions: the extension's name → the object that reads the `settings` and checks answers
            by their values (`state.additions.Addition`).
        statements: a predicate type of signed statements → the object that checks such statements
            and says who owes what (`Kind` of the extension that checks exports).
        tenants: the rule that separates callers, a `Tenancy` of the extension `server`.
        databases: a scheme of URLs → the class of its drivers (`state.storage.databases.Driver`).
        tables: a name → the object that asks the people at a run's table, by pages or at a terminal
            (`cli.playing.people.Tables`).
        guards: a name → the hooks into LangGraph's server, a `Guard` of its extension.
        records: a name → a function from parameters and a seed to a scenario, as the extension of
            task exchange defines it.
        commands: a purpose → a mapping from the words of a command, such as `attribute` or
            `import coopeval`, to its function.
        first: the first words of the commands that `coop --help` lists; the others need `--all`.
    """

    name: str
    about: str
    games: Places = field(default_factory=dict)
    variants: Places = field(default_factory=dict)
    opened: Places = field(default_factory=dict)
    private: Places = field(default_factory=dict)
    schemes: Places = field(default_factory=dict)
    formulas: Places = field(default_factory=dict)
    analyses: Places = field(default_factory=dict)
    clauses: Places = field(default_factory=dict)
    seats: Places = field(default_factory=dict)
    programs: Places = field(default_factory=dict)
    certificates: Places = field(default_factory=dict)
    questions: Places = field(default_factory=dict)
    graphs: Places = field(default_factory=dict)
    moves: Places = field(default_factory=dict)
    readings: Places = field(default_factory=dict)
    courses: Places = field(default_factory=dict)
    templates: Places = field(default_factory=dict)
    audits: Places = field(default_factory=dict)
    rechecks: Places = field(default_factory=dict)
    norms: Mapping[str, Norm] = field(default_factory=dict)
    files: Places = field(default_factory=dict)
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
    suite_checks: Places = field(default_factory=dict)
    batches: Places = field(default_factory=dict)
    players: Places = field(default_factory=dict)
    gates: Places = field(default_factory=dict)
    settings: Mapping[str, Setting] = field(default_factory=dict)
    additions: Places = field(default_factory=dict)
    statements: Places = field(default_factory=dict)
    tenants: Places = field(default_factory=dict)
    databases: Places = field(default_factory=dict)
    tables: Places = field(default_factory=dict)
    guards: Places = field(default_factory=dict)
    records: Places = field(default_factory=dict)
    commands: Mapping[str, Places] = field(default_factory=dict)
    first: tuple[str, ...] = ()


class BrokenExtension(ValueError):
    """The error raised if an extension or a part of it cannot be loaded; one line says why."""


def installed() -> Mapping[str, Extension]:
    """Return name → extension for all loadable extensions, this distribution's first."""
    return {name: found for name, found in _find_all().items() if isinstance(found, Extension)}


def broken() -> Mapping[str, str]:
    """Return name → reason for the extensions that cannot be loaded."""
    return {name: found for name, found in _find_all().items() if isinstance(found, str)}


def offered(kind: str) -> Mapping[str, tuple[Extension, str]]:
    """Return all parts of a kind (a field of `Extension`): name → extension and `module:name`."""
    return {
        name: (extension, place)
        for extension in installed().values()
        for name, place in getattr(extension, kind).items()
    }


def open_to(path: str) -> Callers | None:
    """Return the callers that may use a path of a route; None if no extension names the path."""
    return next((one.callers[path] for one in installed().values() if path in one.callers), None)


def load(kind: str, name: str) -> Any:
    """Import a part of an extension.

    Raises:
        BrokenExtension: the part cannot be imported.
        KeyError: no extension has this part.
        LibraryMissing: a library of the extension's extra is not installed.
    """
    _, place = offered(kind)[name]
    try:
        return import_place(place)
    except LibraryMissing:
        raise
    except Exception as error:  # a foreign package may raise anything when it is loaded
        raise faulty(kind, name, error) from None


def only(kind: str, missing: str) -> Any:
    """Import the first part of a kind of which only one part is ever used.

    Raises:
        BrokenExtension: the part cannot be imported.
        ValueError: no extension has such a part; the message is `missing`.
    """
    for name in offered(kind):
        return load(kind, name)
    raise ValueError(missing)


def import_place(place: str) -> Any:
    """Return the object that `module:name` names, or the module if there is no name."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)


def faulty(kind: str, name: str, error: BaseException | str) -> BrokenExtension:
    """Return the error that says in one line why a part of an extension cannot be used."""
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
    except ModuleNotFoundError:  # there is no such folder if all extensions were removed
        return []
    return sorted(module.name for module in pkgutil.iter_modules(folder.__path__))


def _load_entry(entry: EntryPoint) -> Extension | str:
    try:
        extension = entry.load()
    except Exception as error:  # a foreign package may raise anything when it is loaded
        return f"{entry.name} ({entry.value}): {_one_line(error)}"
    return extension if isinstance(extension, Extension) else f"{entry.value} is no Extension"


def _one_line(error: BaseException | str) -> str:
    said = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    return " ".join(said.split())[:300]
