"""The three modes in which a seat answers, all by LangChain: tagged text, JSON schema, tool call.

Every answer becomes tagged text: the journal keeps the text, and one parser reads it. If a model is
asked for JSON of a schema and answers in text, the parser reads that text. No answer makes
these functions raise an error.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import BaseTool

from shapley_coop.deals.language.reading import ANNOTATIONS
from shapley_coop.deals.language.thoughts import MARK
from shapley_coop.seats.answers import Form, answers, fields_in, said_beside, tag_fields
from shapley_coop.seats.awaited import LetterChatModel
from shapley_coop.seats.calls import READY, kept_call
from shapley_coop.seats.clients import clients_here
from shapley_coop.seats.seat import RECORDING, Answers, Seat

logger = logging.getLogger(__name__)

_NATIVE = "json_schema"
"""LangChain's name of the method for providers that enforce a schema while they generate."""


def answers_of(seat: Seat, model: BaseChatModel, tools: bool) -> Answers:
    """Return the mode in which a seat answers.

    `auto` uses the model's profile, which LangChain has for models that it knows. A model without
    a profile answers in text, unless the run offers tools and the model can be bound to tools.

    Args:
        model: the seat's chat model.
        tools: whether the run offers tools.
    """
    if seat.program or seat.provider == RECORDING or isinstance(model, LetterChatModel):
        return "text"
    return _choose_mode(seat, model.profile or {}, tools and _binds(model), tools)


def _choose_mode(seat: Seat, known: Mapping[str, Any], unless_known: bool, tools: bool) -> Answers:
    if seat.answers != "auto":
        return seat.answers
    can_call = known.get("tool_calling", unless_known) and seat not in clients_here().deaf
    if tools and can_call:
        return "tools"
    if known.get("structured_output"):
        return "schema"
    return "tools" if can_call else "text"


def note_deafness(seat: Seat, model: BaseChatModel, mode: Answers, reply: AIMessage) -> None:
    """Record, and log once, that an endpoint ignores a forced tool call (`tool_choice`).

    A seat with `answers: auto` is then asked by a schema or in text.
    """
    ended = reply.response_metadata.get("finish_reason")
    called = reply.tool_calls or reply.invalid_tool_calls
    deaf = clients_here().deaf
    if mode != "tools" or called or ended != "stop" or seat in deaf or not _chooses(model):
        return
    deaf.add(seat)
    then = "it is asked without" if seat.answers == "auto" else "set its answers to schema or text"
    logger.warning("%s answers in words where it has to call a tool: %s.", seat.model, then)


async def say(
    model: BaseChatModel,
    mode: Answers,
    messages: Sequence[BaseMessage],
    config: RunnableConfig,
    form: Form | None,
    tools: Sequence[BaseTool] = (),
) -> tuple[str, AIMessage]:
    """Ask a model for its answer to a letter.

    Args:
        model: the seat's chat model.
        mode: the mode in which the model answers.
        messages: the letter.
        config: the call's configuration for tracing.
        form: the answer's JSON schema; None if there is no schema and the model answers in text.
        tools: tools that the model may call before it answers, in the modes "tools" and "schema".

    Returns:
        The answer, or the model's calls of tools, as tagged text; and the model's message.
    """
    if form is not None and mode == "schema":
        if tools and _binds(model):
            return await _asking_tools(model, messages, config, form, tools)
        return await _by_schema(model, messages, config, form)
    if form is not None and mode == "tools":
        return await _by_tools(model, messages, config, form, tools)
    reply = await model.ainvoke(list(messages), config=config)
    return str(reply.text), reply


async def _by_schema(
    model: BaseChatModel, messages: Sequence[BaseMessage], config: RunnableConfig, form: Form
) -> tuple[str, AIMessage]:
    known = model.profile or {}
    native = _is_openai(model) and known.get("structured_output", True)
    given: dict[str, Any] = {"method": _NATIVE, "strict": True} if native else {}
    bound = model.with_structured_output(dict(form), include_raw=True, **given)
    found: Any = await bound.ainvoke(list(messages), config=config)
    raw: AIMessage = found["raw"]
    parsed = found["parsed"]
    # LangChain's JSON parser also takes JSON that the model wrote while it was still thinking.
    thought = not raw.tool_calls and MARK.search(str(raw.text))
    if parsed is None or thought:
        return _read(form, str(raw.text)), raw
    return _tag_fields(form, parsed), raw


async def _asking_tools(
    model: BaseChatModel,
    messages: Sequence[BaseMessage],
    config: RunnableConfig,
    form: Form,
    tools: Sequence[BaseTool],
) -> tuple[str, AIMessage]:
    """Let a model call tools before it answers by a schema; the answer is then a separate call.

    While a model can call tools, providers enforce no schema, or only if all tools are strict.
    """
    reply = await _bind_tools(model, [*tools, _READY]).ainvoke(list(messages), config=config)
    words = str(reply.text)
    if not reply.tool_calls and fields_in(form, words) is not None:
        return _read(form, words), reply
    asked = "".join(kept_call(call["name"], call["args"]) for call in reply.tool_calls)
    return said_beside(words) + (asked or kept_call(READY, {})), reply


_READY = {
    "title": READY,
    "description": "Call this when you need none of the other tools: then you are asked to answer.",
    "type": "object",
    "properties": {},
}


async def _by_tools(
    model: BaseChatModel,
    messages: Sequence[BaseMessage],
    config: RunnableConfig,
    form: Form,
    tools: Sequence[BaseTool],
) -> tuple[str, AIMessage]:
    reply = await _bind_tools(model, [*tools, dict(form)]).ainvoke(list(messages), config=config)
    act, words = str(form["title"]), str(reply.text)
    offered = {tool.name for tool in tools}
    for call in reply.tool_calls:
        # The model has answered without waiting for its other calls, so these calls are dropped.
        if call["name"] == act:
            return _tag_fields(form, call["args"]), reply
        alone = len(reply.tool_calls) == 1 and call["name"] not in offered
        if alone and answers(form, call["args"]):
            return tag_fields(act, call["args"]), reply
    asked = "".join(kept_call(call["name"], call["args"]) for call in reply.tool_calls)
    # Arguments that are not JSON count as text, so they are refused and shown to the model again.
    spoilt = "".join(str(call["args"] or "") for call in reply.invalid_tool_calls)
    return (said_beside(words) + asked) if asked else _read(form, words + spoilt), reply


def _bind_tools(model: BaseChatModel, tools: Sequence[Any]) -> Runnable[Any, AIMessage]:
    """Bind tools to a model, and force a call if the model is known to support `tool_choice`."""
    return model.bind_tools(tools, **({"tool_choice": "any"} if _chooses(model) else {}))


def _chooses(model: BaseChatModel) -> bool:
    """Return whether a model is known to support `tool_choice`, which forces a tool call."""
    return bool((model.profile or {}).get("tool_choice", _is_openai(model)))


def _binds(model: BaseChatModel) -> bool:
    """Return whether a model can be bound to tools."""
    known = (model.profile or {}).get("tool_calling", True)
    return bool(known) and type(model).bind_tools is not BaseChatModel.bind_tools


def _tag_fields(form: Form, given: Any) -> str:
    """Return fields as tagged text; if a key is unknown, as JSON, which the parser refuses."""
    if isinstance(given, Mapping) and not given.keys() <= form["properties"].keys() | ANNOTATIONS:
        return json.dumps(given)
    return tag_fields(str(form["title"]), given)


def _read(form: Form, text: str) -> str:
    """Return text as tagged text if it clearly holds one answer of the form, else unchanged."""
    fields = fields_in(form, text)
    return text if fields is None else tag_fields(str(form["title"]), fields)


def _is_openai(model: BaseChatModel) -> bool:
    from langchain_openai import ChatOpenAI

    return isinstance(model, ChatOpenAI)
