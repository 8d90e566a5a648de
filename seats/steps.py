"""A conversation with one seat, which may call tools before it answers.

Each call of the model and each of a tool is kept in the journal before the next begins, so that a
resume repeats at most the call in flight, and `coop verify` computes the tools' results again.
"""

import asyncio
import json
from dataclasses import dataclass, replace

from langchain_core.tools import BaseTool

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.thoughts import without_thoughts
from shapley_coop.seats.asking import Enquiry, ask, trace_config
from shapley_coop.seats.calls import READY, Call, Step, calls_in
from shapley_coop.seats.records import TOOL, Answer, Entry, Journal, letter_hash, nonce
from shapley_coop.seats.seat import Seat


@dataclass(frozen=True)
class Heard:
    """One seat's answer, with the calls of tools before it.

    Attributes:
        entry: the letter as it was answered, with the answer.
        steps: the entries of the calls before it, in which the seat asked for tools.
    """

    entry: Entry
    steps: tuple[Entry, ...] = ()


async def converse(
    seat: Seat, seed: int, question: Enquiry, journal: Journal, found: Entry | None = None
) -> Heard:
    """Ask a seat and run the tools that it calls, until it answers.

    Args:
        seat: who is asked.
        seed: of an embedded character.
        question: what it is asked, with the tools that it may use.
        journal: where answers and results are kept.
        found: the journal's answer to the letter, if there is one: whatever was done is not
            repeated.

    Raises:
        SeatError: no answer came.
    """
    steps: list[Entry] = []
    resumed = found is not None
    while True:
        entry = found or (await ask(seat, seed, question, journal, look_up=resumed))[0]
        found = None
        calls = () if entry.answer.cut else find_calls(question, entry.answer.text)
        if not calls:
            return Heard(entry, tuple(steps))
        steps.append(entry)
        question = await _with_results(question, journal, entry.answer.text, calls)


def find_calls(question: Enquiry, answer: str) -> tuple[Call, ...]:
    """The calls in an answer that are made before it is asked for again; none if it is final.

    One that may not ask for anything more is final; so is one that is asked back, as it may only
    have thought of a call.
    """
    if not question.tools or not question.steps or not question.calls:
        return ()
    if isinstance(without_thoughts(answer), Fault):
        return ()
    return calls_in(answer)


async def _with_results(
    question: Enquiry, journal: Journal, answer: str, calls: tuple[Call, ...]
) -> Enquiry:
    """Return the question, with the results of tool calls appended."""
    allowed = question.calls
    results = [
        await _result(question, journal, call) if number <= allowed else _NO_MORE
        for number, call in enumerate(calls, start=1)
    ]
    ready = any(call.tool == READY for call in calls)
    if not ready and (allowed <= len(calls) or question.steps == 1):
        results[-1] = f"{results[-1]}\n\n{_ANSWER_NOW}"
    said = Step(answer, tuple(results))
    letter = replace(question.letter, steps=(*question.letter.steps, said))
    calls_left = 0 if ready else max(question.calls - len(calls), 0)
    return replace(question, letter=letter, calls=calls_left, steps=question.steps - 1)


_NO_MORE = "This was not computed: no calls are left."
_NOW = "Give your answer now."
_ANSWER_NOW = "No calls are left: give your answer now."


async def _result(question: Enquiry, journal: Journal, call: Call) -> str:
    """Return a tool's result, from the journal if it was computed before a restart."""
    q, tool = question, _by_name(question).get(call.tool)
    if call.tool == READY:
        return _NOW
    if tool is None:
        return f"There is no tool {call.tool[:80]!r}: there are {', '.join(_by_name(q))}."
    asked = json.dumps({"at": q.at, "tool": call.tool, "arguments": call.arguments})
    name = letter_hash(asked)
    known = await asyncio.to_thread(journal.find, q.episode, q.agent, name, q.attempt)
    if known is None:
        config = trace_config(q)
        config["run_name"] = f"{q.agent}.{call.tool}"
        try:
            result = str(await tool.ainvoke(dict(call.arguments), config=config))
        except RecursionError:
            result = "The arguments are nested too deeply: write them flat."
        answer = Answer(result)
        entry = Entry(q.agent, TOOL, call.tool, name, asked, q.attempt, answer, nonce())
        known = await journal.keep(q.episode, entry)
    return known.answer.text


def _by_name(question: Enquiry) -> dict[str, BaseTool]:
    return {tool.name: tool for tool in question.tools}
