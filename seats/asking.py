"""Functions that ask a seat; the journal keeps at most one answer per letter and attempt."""

import asyncio
import os
import re
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.constants import TAG_NOSTREAM
from langgraph.types import interrupt

from shapley_coop.deals.language.wire import MAX_MESSAGE
from shapley_coop.seats.answers import said_in
from shapley_coop.seats.awaited import LetterChatModel
from shapley_coop.seats.clients import clients_here
from shapley_coop.seats.faults import busy_for, describe_error
from shapley_coop.seats.letters import Letter, with_facts
from shapley_coop.seats.models import RETRIES, chat_model
from shapley_coop.seats.modes import answers_of, note_deafness, say
from shapley_coop.seats.person import as_message, request
from shapley_coop.seats.records import Answer, Entry, Journal, Mail, Withheld, letter_hash, nonce
from shapley_coop.seats.seat import RECORDING, Seat, SeatError
from shapley_coop.seats.usage import count_tokens, parts

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
        episode: the id of the play.
        agent: the agent that receives the letter.
        act: the name of the question: reason, propose, answer, act, …
        letter: the letter.
        attempt: the number of the attempt, from 1; a repeated letter gets the next number.
        why: the label of the fault for which the last answer was refused.
        deadline: seconds that a person has for a reply; 0 for no deadline.
        at: the name of this enquiry, unique within the run.
        carries: whether an action can have content besides its name in this game.
        choices: field → the values that a person chooses from, if every agent may know them.
        tools: read-only tools that the agent may call before it answers.
        calls: the number of tool calls that the agent has left.
        steps: the number of model calls left for calling tools.
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


async def ask(
    seat: Seat, seed: int, question: Enquiry, journal: Journal, look_up: bool = True
) -> tuple[Entry, bool]:
    """Ask a seat, unless the journal has its answer already, and keep the answer at once.

    Args:
        seat: the seat to ask.
        seed: the seed of an embedded character.
        question: the letter.
        journal: the journal that keeps the answer.
        look_up: whether to look for a kept answer first; False if the caller has just looked.

    Returns:
        The entry, and whether the seat was really asked.

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
    answer = await (_ask_person(q, journal) if seat.human else _call(seat, seed, q, journal))
    return await journal.keep(q.episode, q.entry(seat.model, answer)), True


async def _ask_person(q: Enquiry, journal: Journal) -> Answer:
    """Leave the letter at the person's seat and interrupt the graph until the person replies."""
    mail = Mail(q.agent, q.act, q.name, q.text, q.attempt, facts=q.letter.facts)
    mail = await asyncio.to_thread(journal.deliver, q.episode, mail)
    pointer = {"episode": q.episode, "agent": q.agent, "attempt": q.attempt}
    until = mail.since + q.deadline if q.deadline else None
    asked = request(pointer, q.agent, q.act, q.why, until, q.choices)
    schema = asked["review_configs"][0]["args_schema"]
    return as_answer(interrupt(asked, response_schema=schema), q.act)


def as_answer(reply: Any, act: str) -> Answer:
    """Return a person's reply to a question as an answer for the journal."""
    return Answer(_cut(as_message(reply, act)))


async def _call(seat: Seat, seed: int, question: Enquiry, journal: Journal) -> Answer:
    ask = partial(_ask_once, seat, seed, question, journal)
    gate = clients_here().gate
    return await (ask() if gate is None else gate.call(seat, question, ask))


async def _ask_once(
    seat: Seat, seed: int, question: Enquiry, journal: Journal, patience: float = 0
) -> Answer:
    started = time.monotonic()
    model = chat_model(seat, agent=question.agent, seed=seed)
    # The client's timeout is per read, so a slow stream needs a limit for the whole call.
    limit = seat.timeout * (RETRIES + 1) + patience
    if isinstance(model, LetterChatModel):
        limit, model = seat.timeout + patience, model.for_letter(question, journal)
    told = None
    try:
        async with asyncio.timeout(limit if limit < inf else None):
            answer = await _ask_model(seat, model, question)
        answer = replace(answer, seconds=time.monotonic() - started)
    except Exception as error:
        failure = describe_error(error, seat, limit, count_tokens(None, question.text, "")[0])
        told = SeatError(f"{question.agent}'s seat ({seat.model}) did not answer: {failure}")
        told.busy, told.said = busy_for(error), getattr(error, "said", "")
    if told:
        raise told  # outside the handler, so the error's context holds no private text
    return answer


async def _ask_model(seat: Seat, model: BaseChatModel, q: Enquiry) -> Answer:
    """Ask the model in its seat's mode, and return its answer."""
    mode = answers_of(seat, model, bool(q.tools))
    form = None if mode == "text" else _fields_of(q, seat)
    letter = _letter(seat, model, _told_fields(q, mode, form) if form else q)
    tools = q.tools if q.calls and q.steps else ()
    try:
        text, reply = await say(model, mode, letter, trace_config(q), form, tools)
        note_deafness(seat, model, mode if form else "text", reply)
    except Exception as error:
        # With a schema, OpenAI's client raises an error for an answer that is cut or filtered. The
        # client takes half a second to load; if it is not loaded, it cannot have raised the error.
        openai: Any = sys.modules.get("openai")
        if openai and isinstance(error, openai.LengthFinishReasonError):
            return _cut_answer(error.completion, q)
        if not openai or not isinstance(error, openai.ContentFilterFinishReasonError):
            raise
        tokens_in, tokens_out = count_tokens(None, q.text, "")
        return Answer("", False, tokens_in, tokens_out, withheld="filtered")
    return _answer(reply, text, q, seat)


def _fields_of(question: Enquiry, seat: Seat) -> dict[str, Any] | None:
    """Return the answer's schema; the import is late, as runs in text need no schemas."""
    from shapley_coop.seats.bounds import schema_for

    return schema_for(seat, question.letter.facts, question.carries)


def _told_fields(question: Enquiry, mode: str, form: Mapping[str, Any]) -> Enquiry:
    """Return the question with the names of the answer's fields appended to its letter.

    The journal keeps the letter without these names, so recordings can answer it in any mode.
    """
    from shapley_coop.seats.returned import in_form, tools_sentence

    q, called = question, mode == "tools"
    told = tools_sentence(q.tools if q.steps else (), q.calls, q.letter.steps, called)
    return replace(q, letter=in_form(q.letter, q.act, form["properties"], called, told))


def _letter(seat: Seat, model: BaseChatModel, question: Enquiry) -> list[BaseMessage]:
    """Return the messages to send, with the facts for programs (see `SEND_FACTS`)."""
    if getattr(model, "reads_facts", False):
        return question.letter.messages(program=True)
    sent = (question.letter if seat.system else question.letter.without_system()).messages()
    if os.environ.get(SEND_FACTS) and seat.provider != RECORDING:
        told = with_facts(str(sent[-1].text), question.letter.facts)
        sent[-1] = sent[-1].model_copy(update={"content": told})
    return sent


def trace_config(question: Enquiry) -> RunnableConfig:
    """Return the run name, tags and metadata under which a call appears in a trace."""
    metadata = {**question.trace.get("metadata", {}), "attempt": question.attempt}
    # A draft is private until it is validated, so LangGraph must not stream its messages.
    tags = [*question.trace.get("tags", []), TAG_NOSTREAM]
    return {**question.trace, "metadata": metadata, "tags": tags}


def _answer(reply: AIMessage, text: str, question: Enquiry, seat: Seat) -> Answer:
    told = reply.usage_metadata
    if seat.program or seat.provider == RECORDING:
        tokens_in, tokens_out = (told["input_tokens"], told["output_tokens"]) if told else (0, 0)
    else:
        tokens_in, tokens_out = count_tokens(told, question.text, text)
    metadata = reply.response_metadata
    ended = metadata.get("finish_reason") or metadata.get("stop_reason")
    return Answer(
        text=_cut(said_in(text)),
        # A broken OpenAI-compatible stream looks like a success without a finish reason.
        cut=ended in _CUT or (ended is None and "model_provider" in metadata),
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        **parts(cast(Any, told)),
        withheld=_withheld(reply, ended),
    )


def _withheld(reply: AIMessage, ended: object) -> Withheld:
    """Return "refused" if the model refused, "filtered" if a filter withheld the answer, or ""."""
    if ended in _FILTERED:
        return "filtered"
    return "refused" if ended in _REFUSED or reply.additional_kwargs.get("refusal") else ""


def _cut_answer(completion: Any, question: Enquiry) -> Answer:
    """Return the partial answer of a call by schema that reached its length limit."""
    usage = completion.usage
    told = usage and {
        "input_tokens": usage.prompt_tokens,
        "output_tokens": usage.completion_tokens,
    }
    text = completion.choices[0].message.content or ""
    cached = getattr(usage and usage.prompt_tokens_details, "cached_tokens", None)
    thought = getattr(usage and usage.completion_tokens_details, "reasoning_tokens", None)
    details = {
        "input_token_details": {"cache_read": cached},
        "output_token_details": {"reasoning": thought},
    }
    read, written = count_tokens(told, question.text, text)
    return Answer(_cut(text), cut=True, input_tokens=read, output_tokens=written, **parts(details))


def _cut(text: str) -> str:
    """Return the text cut to one character above the limit, with invalid characters replaced."""
    return _NO_UNICODE.sub("\ufffd", text[: MAX_MESSAGE + 1])
