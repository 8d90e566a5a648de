"""A conversation with one seat, which may call tools before it answers.

The journal keeps each call of the model and of a tool before the next call begins. So a resume
repeats at most the call in flight, and `coop verify` can recompute the tools' results.
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
    """One seat's answer, with the steps before it in which the seat called tools.

    Attributes:
        entry: the journal's entry of the final letter and its answer.
        steps: the entries of the earlier answers, which called tools.
    """

    entry: Entry
    steps: tuple[Entry, ...] = ()


async def converse(
    seat: Seat, seed: int, question: Enquiry, journal: Journal, found: Entry | None = None
) -> Heard:
    """Ask a seat and run the tools that it calls, until it answers.

    Args:
        seat: the seat to ask.
        seed: the seed of an embedded character.
        question: the letter, with the tools that the seat may use.
        journal: the journal that keeps answers and results.
        found: the letter's answer, if the journal has it already; else None. With a kept answer,
            tool calls are also looked up in the journal and not repeated.

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
    """Return the tool calls of an answer that must run next; empty if the answer is final.

    An answer is final if no calls or steps are left. It is also final if its thoughts cannot be
    separated from its words, because the call may be part of a thought.
    """
    if not question.tools or not question.steps or not question.calls:
        return ()
    if isinstance(without_thoughts(answer), Fault):
        return ()
    return calls_in(answer)


async def _with_results(
    question: Enquiry, journal: Journal, answer: str, calls: tuple[Call, ...]
) -> Enquiry:
    """Run the tool calls of an answer, and return the question with their results appended."""
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
    """Return the result of a tool call, from the journal if it was computed before a restart."""
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
