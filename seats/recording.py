"""The seat `recording:FILE`, which replays the answers of a stored run to the same letters."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from shapley_coop.files import read_text
from shapley_coop.seats.letters import as_text
from shapley_coop.seats.provider import Provider
from shapley_coop.seats.records import AnswerKey, Entry, letter_hash
from shapley_coop.seats.seat import EMBEDDED, RECORDING, Seat, SeatFault

KIND = "a recording (make one with coop letters RUN)"


class NotRecorded(SeatFault):
    """The recording holds no answer to this letter."""


def recording_line(entry: Entry) -> str:
    """Return the line of a recording, as JSON, for a journal's entry."""
    line = {
        "agent": entry.agent,
        "act": entry.act,
        "model": entry.model,
        "attempt": entry.attempt,
        "letter": entry.letter,
        "letter_text": entry.letter_text,
        "answer": entry.answer.text,
        "cut": entry.answer.cut,
        "withheld": entry.answer.withheld,
        "input_tokens": entry.answer.input_tokens,
        "output_tokens": entry.answer.output_tokens,
    }
    return json.dumps(line, ensure_ascii=False, sort_keys=True)


@lru_cache(maxsize=16)  # without the cache, each letter would read the whole file again
def read_recording(path: str) -> dict[AnswerKey, dict[str, Any]]:
    """Return the answers of a recording, by agent, letter hash and attempt.

    Raises:
        ValueError: the file is missing or a line is not a recorded letter.
    """
    answers: dict[AnswerKey, dict[str, Any]] = {}
    # Split at "\n" only: letters may hold other line ends that `splitlines` would split at.
    for number, line in enumerate(read_text(path, KIND).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            answers[entry["agent"], entry["letter"], entry["attempt"]] = entry
            str(entry["answer"])
        except (ValueError, KeyError, TypeError):
            raise ValueError(
                f"{path}:{number} is not a recorded letter: make the file with coop letters RUN"
            ) from None
    return answers


def describe_recording(seat: Seat) -> Seat:
    """Return the seat with its recording's absolute path, and whether embedded agents answered.

    Raises:
        ValueError: the recording is missing or a line is not a recorded letter.
    """
    models = (str(entry.get("model", "")) for entry in read_recording(seat.name).values())
    simulated = any(model.startswith(f"{EMBEDDED}:") for model in models)
    model = f"{RECORDING}:{Path(seat.name).absolute()}"
    return seat.model_copy(update={"model": model, "of_simulation": simulated})


class RecordedChatModel(BaseChatModel):
    """A chat model that repeats the recorded answer to a letter and refuses unrecorded letters."""

    path: str
    agent: str

    @property
    def _llm_type(self) -> str:
        return "recording"

    async def ainvoke(self, *given: Any, **options: Any) -> AIMessage:
        """Answer through LangChain's callbacks, whose metadata holds the number of the attempt."""
        return await super().ainvoke(*given, **options)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        # Two retries for the same fault send equal letters; only the attempt's number differs.
        attempt = run_manager.metadata.get("attempt", 1) if run_manager else 1
        letter = letter_hash(as_text(messages))
        entry = read_recording(self.path).get((self.agent, letter, attempt))
        if entry is None:
            raise NotRecorded(
                f"{self.path} has no answer of {self.agent} to this letter: the game, its "
                "parameters or the prompts differ from the recorded run"
            )
        tokens = {k: int(entry.get(k, 0)) for k in ("input_tokens", "output_tokens")}
        message = AIMessage(
            entry["answer"],
            usage_metadata={**tokens, "total_tokens": sum(tokens.values())},
            response_metadata={
                "finish_reason": entry.get("withheld")
                or ("length" if entry.get("cut") else "stop"),
                "model_name": "recording",
            },
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


def _check(seat: Seat) -> None:
    """Refuse a recording that cannot be read."""
    read_recording(seat.name)


def _model(seat: Seat, *, agent: str, seed: int) -> RecordedChatModel:
    return RecordedChatModel(path=seat.name, agent=agent)


PROVIDER = Provider(_model, _check, in_text=True)
