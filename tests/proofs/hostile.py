"""Shared by the hostile proofs: a separate home, and seats that answer as an attacker wants."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage

from shapley_coop.seats.awaited import AnsweringChatModel
from shapley_coop.seats.embedded import EmbeddedChatModel
from shapley_coop.seats.letters import as_text
from shapley_coop.seats.models import chat_model as own_model
from shapley_coop.seats.seat import Seat
from tests.scripted import told_in


@dataclass(frozen=True)
class Asked:
    """One letter, and what an embedded agent would answer to it.

    Attributes:
        agent: who is asked.
        act: what for.
        facts: the letter's.
        letter: its whole text.
        sound: the embedded agent's answer.
        seed: the room's, to tell runs apart that are played side by side.
    """

    agent: str
    act: str
    facts: dict[str, Any]
    letter: str
    sound: str
    seed: int = 0


Says = Callable[[Asked], str | AIMessage]
"""What is answered to a letter; an exception it raises is the seat's failure."""


class SpeakingModel(AnsweringChatModel):
    """Answers as `says` decides."""

    says: Any
    agent: str
    stand_in: EmbeddedChatModel

    @property
    def _llm_type(self) -> str:
        return "hostile"

    def answer(self, messages: list[BaseMessage]) -> AIMessage:
        letter = as_text(messages)
        known = told_in(messages)
        sound = self.stand_in.answer(messages).text
        asked = Asked(self.agent, known["ask"], known, letter, sound, self.stand_in.seed)
        said = self.says(asked)
        return said if isinstance(said, AIMessage) else AIMessage(said)


@contextmanager
def at_home(folder: Path, says: Says | None = None, **environment: str) -> Iterator[Path]:
    """A home of its own; every embedded seat answers as `says` decides, if it is given.

    Outside the tests (`make soak`) nothing has set these things up.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COOP_HOME", str(folder / "home"))
        patch.delenv("COOP_DATABASE_URL", raising=False)
        for variable in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
            patch.setenv(variable, "false")
        for name, value in environment.items():
            patch.setenv(name, value)
        if says is not None:
            patch.setattr("shapley_coop.seats.asking.chat_model", _in_place_of_models(says))
        yield folder / "home"


def _in_place_of_models(says: Says) -> Callable[..., BaseChatModel]:
    def chat_model(seat: Seat, *, agent: str, seed: int) -> BaseChatModel:
        if not seat.simulated:
            return own_model(seat, agent=agent, seed=seed)
        stand_in = EmbeddedChatModel(character=seat.name, agent=agent, seed=seed)
        return SpeakingModel(says=says, agent=agent, stand_in=stand_in)

    return chat_model
