"""What one agent is shown and no other: its notes, persona and secrets, its refused answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import MAX_NOTES, Message, scan
from shapley_coop.seats.records import Entry
from shapley_coop.state.home_files.kept import persona_of
from shapley_coop.state.home_files.secrets import secrets_of
from shapley_coop.state.storage.home import home
from shapley_coop.state.turn import TurnContext


@dataclass(frozen=True)
class Refusal:
    """An answer that could not be used, and goes back to its author.

    Attributes:
        fault: what was wrong with it.
        answer: as its author wrote it.
        attempt: its number, from 1.
        tries: how many answers the author may give; 0 is any number.
    """

    fault: Fault
    answer: str
    attempt: int
    tries: int


@dataclass(frozen=True)
class PrivateView:
    """What one agent alone is shown.

    Attributes:
        reasoning: what it reasoned before this bargaining, if it was asked to.
        notes: its notes, as it wrote them last; without any, what it reasoned.
        secret: what its user told it alone.
        utilities: what the game tells it alone, as JSON.
        refusal: its last answer, if that was refused.
    """

    reasoning: str = ""
    notes: str = ""
    secret: str = ""
    utilities: Mapping[str, Any] = field(default_factory=dict)
    refusal: Refusal | None = None


def private_views(turn: TurnContext, refusals: Mapping[str, Refusal]) -> dict[str, PrivateView]:
    """Return what each agent asked now is shown alone; reads the journal and the secrets file.

    Args:
        turn: who is asked.
        refusals: agent → its last answer, if that was refused.

    Raises:
        ValueError: a note is missing in the journal, or the secrets cannot be read.
    """
    table, evaluated = turn.table, turn.evaluated
    pointers = {a: at for a, at in table.get("thoughts", {}).items() if a in turn.asked}
    journal, episode = home().journal, table["episode"]
    thoughts = journal.open_all(episode, pointers)
    noted = {a: at for a, at in table.get("notes", {}).items() if a in turn.asked}
    written = journal.open_all(episode, noted)
    # Once it is signed, a deal says what was reasoned for it, and what came of it.
    bound = turn.topic.phase == "action" and evaluated.contract is not None
    secrets, personas = secrets_of(evaluated.config.secrets), evaluated.config.personas
    return {
        agent: PrivateView(
            reasoning=thoughts[agent].answer.text if agent in thoughts else "",
            notes=_notes(written.get(agent), None if bound else thoughts.get(agent)),
            secret="\n\n".join(
                filter(None, (persona_of(personas.get(agent, "")), secrets.get(agent, "")))
            ),
            utilities=evaluated.game.private(agent) if agent in evaluated.agents else {},
            refusal=refusals.get(agent),
        )
        for agent in turn.asked
    }


def notes_in(text: str) -> str:
    """The notes that an answer leaves for its author's next letters; empty if it leaves none."""
    if "NOTES" not in text.upper():  # most answers leave none, and reading one takes long
        return ""
    message = scan(text)
    notes = message.notes if isinstance(message, Message) else None
    return (notes or "")[:MAX_NOTES].strip()


def _notes(written: Entry | None, thought: Entry | None) -> str:
    """What an agent wrote down last: reasoning that it was asked for since replaces its notes."""
    notes = notes_in(written.answer.text) if written else ""
    plan = _plan(thought.answer.text).strip() if thought else ""
    if notes and written and thought and written.letter == thought.letter:
        return f"{plan}\n{notes}".strip()
    return notes or plan


def _plan(answer: str) -> str:
    """What was thought: inside `<CONSIDER>`, else outside all elements, which is private, too."""
    message = scan(answer)
    if not isinstance(message, Message):
        return answer
    return message.consider or message.outside
