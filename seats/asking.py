"""Functions that ask a seat; the journal keeps at most one answer per letter and attempt."""

import asyncio
import os
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.constants import TAG_NOSTREAM

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.thoughts import without_thoughts
from shapley_coop.deals.language.wire import MAX_MESSAGE
from shapley_coop.seats.clients import gate_here
from shapley_coop.seats.letters import Letter, with_facts
from shapley_coop.seats.models import RETRIES, chat_model
from shapley_coop.seats.provider import provider_of
from shapley_coop.seats.records import Answer, Entry, Journal, Withheld, letter_hash, nonce
from shapley_coop.seats.seat import RECORDING, Seat, SeatError, SeatUnavailable, describe_failure
from shapley_coop.seats.usage import USD, parts

_CUT = {"length", "max_tokens", "MAX_TOKENS"}
_REFUSED = {"refusal", "refused"}
_FILTERED = {
    *("content_filter", "content_filtered", "filtered"),
    *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"),
}
"""The reasons for the end of an answer, as providers and recordings name them."""
# UTF-8 cannot encode half a surrogate pair, and databases refuse NUL: both become U+FFFD.
_NO_UNICODE = re.compile("[\0\ud800-\udfff]")

PATIENCE = RETRIES * 60.0
"""Most seconds in total that an endpoint can make the client wait between retries."""

SEND_FACTS = "COOP_SEND_FACTS"
"""The environment variable that, if set, appends a letter's facts to its words as JSON. Programs
behind an endpoint need the facts, as they cannot read prose."""


@dataclass(frozen=True)
class Enquiry:
    """One letter to one agent, with the settings of the call.

    Attributes:
        episode: the id of the play to which the letter belongs.
        agent: the agent that receives the letter.
        act: the name of the question: reason, propose, answer, act, …
        attempt: the number of the attempt, from 1; a repeated letter gets the next number.
        why: the label of the fault for which the last answer was refused.
        deadline: seconds that a person has for a reply; 0 for no deadline.
        at: the name of this enquiry, which is unique within the run.
        carries: whether an action in this game can have content, such as a file's text.
        choices: field → the values that a person chooses from, if every agent may know them.
        tools: read-only tools that the agent may call before it answers.
        calls: the number of tool calls that the agent has left.
        steps: the number of model calls left for calling tools.
        budget: the calls, tokens and seconds that are left; a missing key means no limit.
        trace: run name, tags and metadata for tracing.
    """

    episode: str
    agent: str
    act: str
    letter: Letter
    attempt: int = 1
    why: str = ""
    deadline: float = 0
    at: str = ""
    carries: bool = False
    choices: Mapping[str, list[str]] = field(default_factory=dict)
    tools: tuple[BaseTool, ...] = ()
    calls: int = 0
    steps: int = 0
    budget: Mapping[str, float] = field(default_factory=dict)
    trace: RunnableConfig = field(default_factory=RunnableConfig)

    @property
    def messages(self) -> list[BaseMessage]:
        """The letter as chat messages."""
        return self.letter.messages()

    @property
    def text(self) -> str:
        """The whole letter as one text, built anew at each use to save memory during a call."""
        return self.letter.text()

    @property
    def name(self) -> str:
        """The letter's name in the journal."""
        return letter_hash(self.text)

    def entry(self, model: str, answer: Answer) -> Entry:
        """Return the journal's entry for the letter with its answer."""
        return Entry(
            agent=self.agent,
            act=self.act,
            model=model,
            letter=self.name,
            letter_text=self.text,
            attempt=self.attempt,
            answer=answer,
            nonce=nonce(),
            facts=self.letter.facts,
        )


@dataclass(frozen=True)
class Way:
    """A way of asking a chat model.

    Attributes:
        ask: a function that asks the model once, without a limit of time.
        describe: returns a failure in one line, and `SeatError.busy`; its arguments are the error,
            the seat, the limit of time and the letter.
    """

    ask: Callable[[Seat, BaseChatModel, Enquiry], Awaitable[Answer]]
    describe: Callable[[BaseException, Seat, float, Enquiry], tuple[str, float | None]]


async def ask(
    seat: Seat, seed: int, question: Enquiry, journal: Journal, look_up: bool = True
) -> tuple[Entry, bool]:
    """Ask a seat, unless the journal has its answer already, and keep the answer at once.

    Args:
        seat: the seat to ask.
        seed: the seed for the choices of an embedded character.
        question: the letter.
        journal: the journal that keeps the answer.
        look_up: whether to look for a kept answer first; False if the caller has just looked.

    Returns:
        The entry, and whether the seat was called now, because the journal had no answer.

    Raises:
        SeatError: no answer came; the text names agent, model and failure, and no content.
        CredentialsMissing: the seat's key is not set.
        ValueError: the character or provider does not exist.
    """
    q = question
    if look_up:
        asked = (q.agent, q.name, q.attempt, seat.model)
        found = await asyncio.to_thread(journal.find, q.episode, *asked)
        if found is not None:
            return found, False
    ask_directly = provider_of(seat).ask
    asking = ask_directly(q, journal) if ask_directly else _call(seat, seed, q, journal)
    answer = await asking
    return await journal.keep(q.episode, q.entry(seat.model, answer)), True


def _way_of_models() -> Way:
    from shapley_coop.seats.model_answers import WAY  # embedded agents need no client

    return WAY


async def _call(seat: Seat, seed: int, question: Enquiry, journal: Journal) -> Answer:
    ask = partial(_ask_once, seat, seed, question, journal)
    gate = gate_here()
    return await (ask() if gate is None else gate(seat, question, ask))


async def _ask_once(
    seat: Seat, seed: int, question: Enquiry, journal: Journal, patience: float = 0
) -> Answer:
    started = time.monotonic()
    model = chat_model(seat, agent=question.agent, seed=seed)
    way = IN_TEXT if provider_of(seat).in_text else _way_of_models()
    # The client's timeout is per read, so a slow stream needs a limit for the whole call.
    limit = seat.timeout * (RETRIES + 1) + patience
    if for_letter := getattr(model, "for_letter", None):  # a `seats.awaited.LetterChatModel`
        limit, model = seat.timeout + patience, for_letter(question, journal)
    told = None
    try:
        async with asyncio.timeout(limit if limit < inf else None):
            answer = await way.ask(seat, model, question)
        answer = replace(answer, seconds=time.monotonic() - started)
    except Exception as error:
        failure, busy = way.describe(error, seat, limit, question)
        kind = SeatError if busy is None else SeatUnavailable
        told = kind(f"{question.agent}'s seat ({seat.model}) did not answer: {failure}")
        told.busy, told.said = busy, getattr(error, "said", "")
    if told:
        raise told  # raised outside `except`, so its context holds no private text
    return answer


async def _ask_in_text(seat: Seat, model: BaseChatModel, question: Enquiry) -> Answer:
    """Ask a model of this process, which always answers in text, and return its answer."""
    sent = messages_for(seat, model, question.letter)
    reply = await model.ainvoke(sent, config=trace_config(question))
    used = reply.usage_metadata
    tokens = (used["input_tokens"], used["output_tokens"]) if used else (0, 0)
    return answer_of(reply, str(reply.text), tokens)


def _failure_in_text(
    error: BaseException, seat: Seat, limit: float, question: Enquiry
) -> tuple[str, None]:
    return describe_failure(error, limit), None


IN_TEXT = Way(_ask_in_text, _failure_in_text)
"""The way of models in this process: programs, recordings and embedded agents."""


def messages_for(seat: Seat, model: BaseChatModel, letter: Letter) -> list[BaseMessage]:
    """Return the messages to send, with the facts for programs (see `SEND_FACTS`)."""
    if getattr(model, "reads_facts", False):
        return letter.messages(program=True)
    sent = (letter if seat.system else letter.without_system()).messages()
    if os.environ.get(SEND_FACTS) and seat.provider != RECORDING:
        told = with_facts(str(sent[-1].text), letter.facts)
        sent[-1] = sent[-1].model_copy(update={"content": told})
    return sent


def trace_config(question: Enquiry) -> RunnableConfig:
    """Return the run name, tags and metadata under which a call appears in a trace."""
    metadata = {**question.trace.get("metadata", {}), "attempt": question.attempt}
    # A draft is private until it is validated, so LangGraph must not stream its messages.
    tags = [*question.trace.get("tags", []), TAG_NOSTREAM]
    return {**question.trace, "metadata": metadata, "tags": tags}


def answer_of(reply: AIMessage, text: str, tokens: tuple[int, int]) -> Answer:
    """Return a model's message as an answer for the journal.

    Args:
        reply: the message.
        text: the message as tagged text.
        tokens: the numbers of input and output tokens.
    """
    metadata = reply.response_metadata
    ended = metadata.get("finish_reason") or metadata.get("stop_reason")
    return Answer(
        text=cut_text(_said_in(text)),
        # A broken OpenAI-compatible stream looks like a success without a finish reason.
        cut=ended in _CUT or (ended is None and "model_provider" in metadata),
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        **parts(cast(Mapping[str, Any], reply.usage_metadata)),
        usd=metadata.get(USD, 0.0),
        withheld=_withheld(reply, ended),
    )


def _withheld(reply: AIMessage, ended: object) -> Withheld:
    """Return "refused" if the model refused, "filtered" if a filter held the answer back, or ""."""
    if ended in _FILTERED:
        return "filtered"
    return "refused" if ended in _REFUSED or reply.additional_kwargs.get("refusal") else ""


def _said_in(text: str) -> str:
    """Return an answer without its thoughts, or unchanged if the thoughts cannot be separated.

    The parser of messages refuses an answer whose thoughts cannot be separated.
    """
    said = without_thoughts(text)
    return text if isinstance(said, Fault) else said


def cut_text(text: str) -> str:
    """Cut a text to one character above the limit (still too long); replace invalid characters."""
    return _NO_UNICODE.sub("\ufffd", text[: MAX_MESSAGE + 1])
