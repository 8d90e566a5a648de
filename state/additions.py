"""What extensions add to a run: settings, and checks of what agents answer.

An extension names the fields that it adds to the run's configuration (`Extension.settings`), and an
object of `Addition` that reads them (`Extension.additions`). A run whose configuration sets none of
them loads nothing of it. What a check adds to an answer stands in its message under `more`, and
what an addition keeps at the table under `aside`, each by the addition's name.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

from pydantic import BaseModel, ValidationError

from shapley_coop import extension
from shapley_coop.deals.language.faults import Fault
from shapley_coop.invalid import first_error

if TYPE_CHECKING:  # the configuration and the table are made with what is here
    from shapley_coop.deals.language.deal import Offer
    from shapley_coop.games import Game
    from shapley_coop.state.evaluated import EvaluatedTable
    from shapley_coop.state.run_config import RunConfig
    from shapley_coop.state.table import AgentOutput, Table
    from shapley_coop.state.turn import TurnContext

S = TypeVar("S", bound=BaseModel)


class Limits(NamedTuple):
    """What an agent may bind itself to.

    Attributes:
        most_pay: the most that it may promise to pay in the whole game; None without a limit.
        least_end: the least that what it signs may leave it with.
        never: actions that it may neither promise nor take.
    """

    most_pay: Fraction | None = None
    least_end: Fraction | None = None
    never: tuple[str, ...] = ()


class SealedAnswer(NamedTuple):
    """What an agent bound itself to by an answer that stays sealed.

    Attributes:
        topic: what it was asked about.
        turn: the turn before which it was asked.
        text: its answer.
        accepts: the hash of what that binds it to.
        called: what it is called, as "its orders".
    """

    topic: str
    turn: int
    text: str
    accepts: str
    called: str


class Rechecked(NamedTuple):
    """What `coop verify` recomputed: its name, what is wrong, and what is said if nothing is."""

    name: str
    wrong: list[str]
    sound: str


class Addition(Generic[S]):
    """What one extension adds to a run; each method may be left as it is.

    Attributes:
        settings: the model of the fields that it adds to the configuration.
    """

    settings: type[S]

    def resolved(self, settings: S, game: "Game") -> S:
        """Return the settings with nothing left to look up.

        Raises:
            ValueError: the game cannot be played with them.
        """
        return settings

    def check_begin(self, settings: S) -> None:
        """Refuse to begin a run; one that has begun goes on.

        Raises:
            ValueError: it may not begin.
        """

    def complaints(self, settings: S) -> Iterator[str]:
        """Yield why others than the server's operator may not have these settings."""
        yield from ()

    def aside(self, settings: S, episode: str, workflow: str) -> Any:
        """Return what it keeps at the table from the opening on, as plain JSON."""
        return None

    def limits(self, settings: S, agent: str) -> Limits:
        """Return what an agent may bind itself to."""
        return Limits()

    def shows(self, settings: S, turn: "TurnContext", agent: str) -> dict[str, Any]:
        """Return the facts that it adds to a letter about an offer."""
        return {}

    def carried(self, reply: Mapping[str, Any]) -> str:
        """Return what the keys of a person's reply add to its message.

        Raises:
            ValueError: they are wrong.
        """
        return ""

    def without(self, text: str) -> str:
        """Return an answer without what it carries for this addition alone."""
        return text

    def check(
        self, settings: S, turn: "TurnContext", agent: str, text: str, said: "AgentOutput"
    ) -> Any:
        """Judge a sound answer.

        Args:
            settings: the run's.
            turn: what is asked.
            agent: who answered.
            text: its answer, as it came.
            said: what was read in it.

        Returns:
            What it adds to the answer as plain JSON, None for nothing, or a `Fault`.
        """
        return None

    def accepts(
        self, settings: S, evaluated: "EvaluatedTable", agent: str, topic: str, offer: "Offer"
    ) -> Any:
        """Return what it adds to an acceptance that the program enters for an agent."""
        return None

    def rechecked(
        self, settings: S, table: "Table", sealed: Mapping[str, SealedAnswer] | None
    ) -> Rechecked | None:
        """Recompute what it added to a run.

        Args:
            settings: the run's.
            table: its last.
            sealed: agent → its sealed answer, in a workflow that makes a deal of such; else None.
        """
        return None


class Added(NamedTuple):
    """One addition of a run, with the run's settings of it."""

    name: str
    addition: Addition[Any]
    settings: Any


def added_fields() -> dict[str, str]:
    """Return the fields that extensions add to the configuration → the addition."""
    return {
        field: name
        for one in extension.installed().values()
        for name in one.additions
        for field in one.settings
    }


def gather(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Move the fields of extensions into `extensions`, and read them there.

    Raises:
        ValueError: one is wrong, or of an extension that is not installed.
    """
    fields, kept = added_fields(), given.get("extensions") or {}
    if not isinstance(kept, Mapping) or not (kept or fields.keys() & given.keys()):
        return given
    found = {name: dict(values) for name, values in kept.items()}
    for field in fields.keys() & given.keys():
        found.setdefault(fields[field], {})[field] = given[field]
    rest = {key: value for key, value in given.items() if key not in fields}
    return {**rest, "extensions": {name: _read(name, found[name]) for name in sorted(found)}}


def find_additions(config: "RunConfig") -> list[Added]:
    """Return the additions whose settings a run's configuration has."""
    found = []
    for name, values in config.extensions.items():
        addition: Addition[Any] = extension.load("additions", name)
        found.append(Added(name, addition, addition.settings.model_validate(values)))
    return found


def resolve_additions(config: "RunConfig", game: "Game") -> dict[str, dict[str, Any]]:
    """Return the settings of all additions with nothing left to look up."""
    return {
        one.name: _dump(one.addition.resolved(one.settings, game)) for one in find_additions(config)
    }


def check_begin(config: "RunConfig") -> None:
    """Refuse to begin a run that an addition does not let begin.

    Raises:
        ValueError: it may not.
    """
    for one in find_additions(config):
        one.addition.check_begin(one.settings)


def set_aside(config: "RunConfig", episode: str, workflow: str) -> dict[str, Any]:
    """Return what the additions of a run keep at its table, by name."""
    return {
        one.name: one.addition.aside(one.settings, episode, workflow)
        for one in find_additions(config)
    }


def limits_of(config: "RunConfig", agent: str) -> Limits:
    """Return what an agent may bind itself to by all additions of a run."""
    found = [one.addition.limits(one.settings, agent) for one in find_additions(config)]
    return Limits(
        most_pay=min((one.most_pay for one in found if one.most_pay is not None), default=None),
        least_end=max((one.least_end for one in found if one.least_end is not None), default=None),
        never=tuple(action for one in found for action in one.never),
    )


def show_additions(turn: "TurnContext", agent: str) -> dict[str, Any]:
    """Return the facts that additions have a letter about an offer show."""
    facts: dict[str, Any] = {}
    for one in find_additions(turn.evaluated.config):
        facts |= one.addition.shows(one.settings, turn, agent)
    return facts


def without_additions(config: "RunConfig", text: str) -> str:
    """Return an answer without what it carries for additions alone."""
    for one in find_additions(config):
        text = one.addition.without(text)
    return text


def check_additions(
    turn: "TurnContext", agent: str, text: str, said: "AgentOutput"
) -> "AgentOutput | Fault":
    """Return a sound answer with what additions add to it, or the first fault that they find."""
    more: dict[str, Any] = {}
    for one in find_additions(turn.evaluated.config):
        found = one.addition.check(one.settings, turn, agent, text, said)
        if isinstance(found, Fault):
            return found
        if found is not None:
            more[one.name] = found
    return cast("AgentOutput", {**said, "more": more}) if more else said


def accept_additions(
    evaluated: "EvaluatedTable", agent: str, topic: str, offer: "Offer"
) -> dict[str, Any]:
    """Return what additions add to an acceptance that the program enters for an agent, by name."""
    found = {
        one.name: one.addition.accepts(one.settings, evaluated, agent, topic, offer)
        for one in find_additions(evaluated.config)
    }
    return {name: more for name, more in found.items() if more is not None}


def _read(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    if name not in extension.offered("additions"):
        raise ValueError(f"extensions: {name[:80]!r} is not installed here")
    addition: Addition[Any] = extension.load("additions", name)
    try:
        return _dump(addition.settings.model_validate(values))
    except ValidationError as error:
        raise ValueError(str(first_error(error, addition.settings))) from None


def _dump(settings: BaseModel) -> dict[str, Any]:
    return settings.model_dump(mode="json", exclude_unset=True)
