"""The private part of an agent's letter: its notes, persona, secrets and last refused answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import MAX_NOTES, Message, scan
from shapley_coop.seats.letters import Letter
from shapley_coop.seats.person import open_choices
from shapley_coop.seats.records import Entry
from shapley_coop.state.home_files.kept import persona_of
from shapley_coop.state.home_files.secrets import secrets_of
from shapley_coop.state.storage.home import home
from shapley_coop.state.turn import TurnContext


@dataclass(frozen=True)
class Refusal:
    """A refused answer, with the facts for the letter in which its author is asked again.

    Attributes:
        fault: the reason for the refusal.
        answer: the text of the refused answer.
        attempt: the number of the attempt, from 1.
        tries: the most answers that the author may give; 0 means no limit.
    """

    fault: Fault
    answer: str
    attempt: int
    tries: int


@dataclass(frozen=True)
class PrivateView:
    """The facts that only one agent sees.

    Attributes:
        reasoning: the agent's private reasoning before this bargaining, if the run asked for it.
        notes: the agent's latest notes, or its reasoning if it wrote none.
        secret: the persona and the secrets that the agent's user gave it.
        utilities: the game's private facts for the agent, as JSON.
        refusal: the agent's last answer and its fault, if the answer was refused.
    """

    reasoning: str = ""
    notes: str = ""
    secret: str = ""
    utilities: Mapping[str, Any] = field(default_factory=dict)
    refusal: Refusal | None = None


def private_views(turn: TurnContext, refusals: Mapping[str, Refusal]) -> dict[str, PrivateView]:
    """Return the private view of each asked agent, from the journal and the secrets file.

    Args:
        turn: the table and the agents that are asked.
        refusals: agent → the refusal of its last answer, if that was refused.

    Raises:
        ValueError: the journal lacks notes or reasoning, or the secrets cannot be read.
    """
    table, evaluated = turn.table, turn.evaluated
    pointers = {a: at for a, at in table.get("thoughts", {}).items() if a in turn.asked}
    journal, episode = home().journal, table["episode"]
    thoughts = journal.open_all(episode, pointers)
    noted = {a: at for a, at in table.get("notes", {}).items() if a in turn.asked}
    written = journal.open_all(episode, noted)
    secrets, personas = secrets_of(evaluated.config.secrets), evaluated.config.personas
    return {
        agent: PrivateView(
            reasoning=thoughts[agent].answer.text if agent in thoughts else "",
            notes=_notes(written.get(agent), thoughts.get(agent)),
            secret="\n\n".join(
                filter(None, (persona_of(personas.get(agent, "")), secrets.get(agent, "")))
            ),
            utilities=evaluated.game.private(agent) if agent in evaluated.agents else {},
            refusal=refusals.get(agent),
        )
        for agent in turn.asked
    }


def notes_in(text: str) -> str:
    """Return an answer's notes for its author's next letters, or "" if there are none."""
    if "NOTES" not in text.upper():  # this test avoids the slow parsing of most answers
        return ""
    message = scan(text)
    notes = message.notes if isinstance(message, Message) else None
    return (notes or "")[:MAX_NOTES].strip()


def _notes(written: Entry | None, thought: Entry | None) -> str:
    """Return an agent's notes; its reasoning if it wrote none; both if one answer holds both."""
    if written is None:
        return ""
    text = written.answer.text
    notes = notes_in(text)
    if notes and not (thought and thought.letter == written.letter):
        return notes
    return f"{_plan(text).strip()}\n{notes}".strip()


def _plan(answer: str) -> str:
    """Return the private text inside `<CONSIDER>`, or else the text outside all elements."""
    message = scan(answer)
    if not isinstance(message, Message):
        return answer
    return message.consider or message.outside


def public_choices(turn: TurnContext, agent: str, letter: Letter) -> dict[str, list[str]]:
    """Return the choices that a person's letter offers, or {} if agents see different positions."""
    game, position = turn.evaluated.game, turn.table["position"]
    if not turn.is_person(agent) or agent not in game.agents:
        return {}
    own = game.view(position, agent)
    public = all(game.view(position, other) == own for other in game.agents)
    return open_choices(letter.facts) if public else {}
