"""The way of asking language models, which answer in text, by a schema, or by a tool call."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from langchain_core.language_models import BaseChatModel

from shapley_coop.seats.asking import (
    Enquiry,
    Way,
    answer_of,
    cut_text,
    messages_for,
    trace_config,
)
from shapley_coop.seats.bounds import schema_for
from shapley_coop.seats.clients import refuses_bounds
from shapley_coop.seats.faults import busy_for, describe_error
from shapley_coop.seats.modes import answers_of, note_deafness, say
from shapley_coop.seats.records import Answer
from shapley_coop.seats.returned import in_form, tools_sentence
from shapley_coop.seats.seat import Seat
from shapley_coop.seats.usage import count_tokens, parts


async def ask_model(seat: Seat, model: BaseChatModel, question: Enquiry) -> Answer:
    """Ask the model in its seat's mode, and return its answer."""
    q = question
    mode = answers_of(seat, model, bool(q.tools))
    form = None if mode == "text" else schema_for(seat, q.letter.facts, q.carries)
    letter = messages_for(seat, model, (_told_fields(q, mode, form) if form else q).letter)
    tools = q.tools if q.calls and q.steps else ()
    try:
        text, reply = await say(model, mode, letter, trace_config(q), form, tools)
        note_deafness(seat, model, mode if form else "text", reply)
    except Exception as error:
        if form and refuses_bounds(error, seat):
            return await ask_model(seat, model, question)
        # With a schema, OpenAI's client raises an error for an answer that is cut or filtered. The
        # client takes half a second to load; if it is not loaded, it cannot have raised the error.
        openai: Any = sys.modules.get("openai")
        if openai and isinstance(error, openai.LengthFinishReasonError):
            return _cut_answer(error.completion, q)
        if not openai or not isinstance(error, openai.ContentFilterFinishReasonError):
            raise
        return Answer("", False, *count_tokens(None, q.text, ""), withheld="filtered")
    return answer_of(reply, text, count_tokens(reply.usage_metadata, q.text, text))


def describe_model_failure(
    error: BaseException, seat: Seat, limit: float, question: Enquiry
) -> tuple[str, float | None]:
    """Return a failure in one line, and the pause after which the endpoint may answer."""
    tokens = count_tokens(None, question.text, "")[0]
    return describe_error(error, seat, limit, tokens), busy_for(error)


WAY = Way(ask_model, describe_model_failure)


def _told_fields(question: Enquiry, mode: str, form: Mapping[str, Any]) -> Enquiry:
    """Return the question with the names of the answer's fields appended to its letter.

    The journal keeps the letter without these names, so recordings can answer it in any mode.
    """
    q, called = question, mode == "tools"
    told = tools_sentence(q.tools if q.steps else (), q.calls, q.letter.steps, called)
    return replace(q, letter=in_form(q.letter, q.act, form["properties"], called, told))


def _cut_answer(completion: Any, question: Enquiry) -> Answer:
    """Return the partial answer of a call by schema that reached its length limit."""
    usage, told = completion.usage, None
    if usage:
        told = {"input_tokens": usage.prompt_tokens, "output_tokens": usage.completion_tokens}
    text = completion.choices[0].message.content or ""
    cached = getattr(usage and usage.prompt_tokens_details, "cached_tokens", None)
    thought = getattr(usage and usage.completion_tokens_details, "reasoning_tokens", None)
    details = {
        "input_token_details": {"cache_read": cached},
        "output_token_details": {"reasoning": thought},
    }
    read, written = count_tokens(told, question.text, text)
    return Answer(
        cut_text(text), cut=True, input_tokens=read, output_tokens=written, **parts(details)
    )
