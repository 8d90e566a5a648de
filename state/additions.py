"""The additions of extensions to a run: settings, and checks of agents' answers.

An extension names the fields that it adds to the run's configuration (`Extension.settings`), and an
`Addition` that reads these fields (`Extension.additions`). A run that sets none of these fields
does not load the extension. An addition's data are in a message under `more`, if its check adds
them, and in the table under `aside`. Both keys map names of additions to data.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

from pydantic import BaseModel, ValidationError

from shapley_coop import extension
from shapley_coop.deals.language.faults import Fault
from shapley_coop.invalid import first_error

if TYPE_CHECKING:  # only for types: these modules import this module
    from shapley_coop.deals.language.deal import Offer
    from shapley_coop.games import Game
    from shapley_coop.state.evaluated import EvaluatedTable
    from shapley_coop.state.run_config import RunConfig
    from shapley_coop.state.table import AgentOutput, Table
    from shapley_coop.state.turn import TurnContext

S = TypeVar("S", bound=BaseModel)


class Limits(NamedTuple):
    """The limits of an agent's commitments.

    Attributes:
        most_pay: the most that the agent may promise to pay in the whole game; None for no limit.
        least_end: the agent signs no deal under which its payoff would be below this amount.
        never: the actions that the agent may neither promise nor take.
    """

    most_pay: Fraction | None = None
    least_end: Fraction | None = None
    never: tuple[str, ...] = ()


class SealedAnswer(NamedTuple):
    """An agent's binding answer that is hidden from all other agents.

    Attributes:
        topic: the topic of the question.
        turn: the turn before which the agent was asked.
        text: the agent's answer.
        accepts: the hash by which the answer binds its author.
        called: the name of the answer in messages of `coop verify`, such as "its orders".
    """

    topic: str
    turn: int
    text: str
    accepts: str
    called: str


class Rechecked(NamedTuple):
    """A check's outcome in `coop verify`: its name, its errors, and a text for no errors."""

    name: str
    wrong: list[str]
    sound: str


class Addition(Generic[S]):
    """The base class of an extension's additions to a run; by default its methods do nothing.

    Attributes:
        settings: the model of the fields that the extension adds to the configuration.
    """

    settings: type[S]

    def resolved(self, settings: S, game: "Game") -> S:
        """Return the settings with references, such as names of files, replaced by contents.

        Raises:
            ValueError: the game cannot be played with these settings.
        """
        return settings

    def check_begin(self, settings: S) -> None:
        """Check that a new run may begin; a resumed run is not checked.

        Raises:
            ValueError: the run may not begin.
        """

    def complaints(self, settings: S) -> Iterator[str]:
        """Yield the reasons, if any, why only the server's operator may set these settings."""
        yield from ()

    def aside(self, settings: S, episode: str, workflow: str) -> Any:
        """Return the addition's own data for the table of a new run, as plain JSON."""
        return None

    def limits(self, settings: S, agent: str) -> Limits:
        """Return the limits of the commitments that an agent may make."""
        return Limits()

    def shows(self, settings: S, turn: "TurnContext", agent: str) -> dict[str, Any]:
        """Return the facts that the addition adds to a letter about an offer."""
        return {}

    def carried(self, reply: Mapping[str, Any]) -> str:
        """Return a text to add to a person's message, from the extra keys of the reply.

        Raises:
            ValueError: a value under these keys is wrong.
        """
        return ""

    def without(self, text: str) -> str:
        """Return an answer's text without the elements that only this addition reads."""
        return text

    def check(
        self, settings: S, turn: "TurnContext", agent: str, text: str, said: "AgentOutput"
    ) -> Any:
        """Check a valid answer, and refuse the answer or add data to it.

        Args:
            settings: the run's settings of this addition.
            turn: the table and its question.
            agent: the author.
            text: the raw answer.
            said: the parsed answer.

        Returns:
            Data to add to the answer as plain JSON, None for no data, or a `Fault`.
        """
        return None

    def accepts(
        self, settings: S, evaluated: "EvaluatedTable", agent: str, topic: str, offer: "Offer"
    ) -> Any:
        """Return data to add to an acceptance that a node makes on an agent's behalf."""
        return None

    def rechecked(
        self, settings: S, table: "Table", sealed: Mapping[str, SealedAnswer] | None
    ) -> Rechecked | None:
        """Compute the addition's data in a run again, and compare; this is for `coop verify`.

        Args:
            settings: the run's settings of this addition.
            table: the run's last table.
            sealed: agent → its sealed answer; None if the workflow has no sealed answers.
        """
        return None


class Added(NamedTuple):
    """An addition of a run, with its settings."""

    name: str
    addition: Addition[Any]
    settings: Any


def added_fields() -> dict[str, str]:
    """Return field → the name of the addition that adds it to the configuration."""
    return {
        field: name
        for one in extension.installed().values()
        for name in one.additions
        for field in one.settings
    }


def gather(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the configuration with extensions' fields validated and moved into `extensions`.

    Raises:
        ValueError: a field is wrong, or its extension is not installed.
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
    """Return the additions that a run's configuration sets."""
    found = []
    for name, values in config.extensions.items():
        addition: Addition[Any] = extension.load("additions", name)
        found.append(Added(name, addition, addition.settings.model_validate(values)))
    return found


def resolve_additions(config: "RunConfig", game: "Game") -> dict[str, dict[str, Any]]:
    """Return the resolved settings of all additions, by name."""
    return {
        one.name: _dump(one.addition.resolved(one.settings, game)) for one in find_additions(config)
    }


def check_begin(config: "RunConfig") -> None:
    """Check that all additions allow a run to begin.

    Raises:
        ValueError: an addition refuses the run.
    """
    for one in find_additions(config):
        one.addition.check_begin(one.settings)


def set_aside(config: "RunConfig", episode: str, workflow: str) -> dict[str, Any]:
    """Return addition → its own data for a run's table."""
    return {
        one.name: one.addition.aside(one.settings, episode, workflow)
        for one in find_additions(config)
    }


def limits_of(config: "RunConfig", agent: str) -> Limits:
    """Return the strictest of the limits that a run's additions set for an agent."""
    found = [one.addition.limits(one.settings, agent) for one in find_additions(config)]
    return Limits(
        most_pay=min((one.most_pay for one in found if one.most_pay is not None), default=None),
        least_end=max((one.least_end for one in found if one.least_end is not None), default=None),
        never=tuple(action for one in found for action in one.never),
    )


def show_additions(turn: "TurnContext", agent: str) -> dict[str, Any]:
    """Return the facts that a run's additions add to a letter about an offer."""
    facts: dict[str, Any] = {}
    for one in find_additions(turn.evaluated.config):
        facts |= one.addition.shows(one.settings, turn, agent)
    return facts


def without_additions(config: "RunConfig", text: str) -> str:
    """Return an answer's text without the elements that only a run's additions read."""
    for one in find_additions(config):
        text = one.addition.without(text)
    return text


def check_additions(
    turn: "TurnContext", agent: str, text: str, said: "AgentOutput"
) -> "AgentOutput | Fault":
    """Return a valid answer with the additions' data, or the first fault that an addition finds."""
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
    """Return addition → data for an acceptance that a node makes on an agent's behalf."""
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
