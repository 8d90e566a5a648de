"""Author: write the letters that ask for a scenario's sheets, and keep what is answered."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from shapley_coop.games.exchange.authoring import Commission, Sheet
from shapley_coop.games.exchange.masks import members
from shapley_coop.prompts import fenced, render
from shapley_coop.seats import Letter, Question
from shapley_coop.seats import ask as ask_seat
from shapley_coop.state import home
from shapley_coop.state.scenario_drafts import Desk, Draft, Manuscript, unsound
from shapley_coop.state.storage.journal import Journal

AUTHOR = "author"
"""Who describes; scores are asked for in the name of the agent whose they are."""

AT_ONCE = 16
"""Letters under way at the same time."""

Node = Callable[[Manuscript, Runtime[Desk]], Awaitable[dict[str, Any]]]


def ask_sheets(act: str) -> Node:
    """A node that asks for every sheet that is not sound yet, side by side.

    Everybody finishes before a failure is raised: what is answered is kept, and giving the same
    command again asks for the rest alone.

    Args:
        act: DESCRIBE or SCORE.
    """

    async def ask_all(manuscript: Manuscript, runtime: Runtime[Desk]) -> dict[str, Any]:
        desk, drafts = runtime.context, manuscript["drafts"]
        # The first use opens a database, which must not hold up the event loop.
        journal = await asyncio.to_thread(lambda: home().journal)
        described, lanes = desk.described(drafts), asyncio.Semaphore(AT_ONCE)

        async def ask_one(sheet: Sheet) -> Draft:
            before = drafts.get(sheet.name)
            letter = _letter(desk.commission, act, sheet, before, described)
            question = _question(desk, act, sheet, before, letter)
            async with lanes:
                return await _ask(desk, question, before, journal)

        asked = unsound(drafts, desk.sheets(act))
        answers = await asyncio.gather(*map(ask_one, asked), return_exceptions=True)
        found: dict[str, Draft] = {}
        for sheet, answer in zip(asked, answers, strict=True):
            if isinstance(answer, BaseException):
                raise answer
            found[sheet.name] = answer
        return {"drafts": found}

    return ask_all


def _letter(
    commission: Commission,
    act: str,
    sheet: Sheet,
    before: Draft | None,
    described: Mapping[int, str],
) -> Letter:
    """Of the agents it holds one preference at most: that of the agent who scores."""
    tasks, fault = commission.tasks, before["fault"] if before else None
    facts: dict[str, Any] = {"you": sheet.agent or AUTHOR, "ask": act}
    if sheet.agent:
        facts["preference"] = commission.preferences[sheet.agent]
        facts["composites"] = {tasks.bits(mask): described[mask] for mask in sheet.masks}
    else:
        facts["composites"] = {
            tasks.bits(mask): [tasks.atoms[i].says for i in members(mask, tasks.n)]
            for mask in sheet.masks
        }
    if fault:
        facts["fault"] = fault
    atoms = [{"task": a.tool, "arguments": a.arguments, "says": a.says} for a in tasks.atoms]
    example = tasks.bits(sheet.masks[0])
    return Letter(
        system=render("exchange_author", atoms=tasks.n, facts=fenced({"atoms": atoms})),
        user=render(act, you=facts["you"], example=example, fault=fault, facts=fenced(facts)),
        facts={"atoms": atoms, **facts},
    )


def _question(desk: Desk, act: str, sheet: Sheet, before: Draft | None, letter: Letter) -> Question:
    agent, seat = sheet.agent or AUTHOR, desk.seat
    trace: RunnableConfig = {
        "run_name": f"{agent}.{act}",
        "tags": [act, *(["simulated"] if seat.simulated else [])],
        "metadata": {
            "agent": agent,
            "act": act,
            "episode": desk.episode,
            "model": seat.model,
            "simulated": seat.simulated,
        },
    }
    return Question(
        episode=desk.episode,
        agent=agent,
        act=act,
        letter=letter,
        attempt=before["attempt"] + 1 if before else 1,
        why=before["fault"]["label"] if before and before["fault"] else "",
        trace=trace,
    )


async def _ask(desk: Desk, question: Question, before: Draft | None, journal: Journal) -> Draft:
    entry, really = await ask_seat(desk.seat, desk.seed, question, journal)
    desk.heard()
    answer = entry.answer
    return {
        "text": answer.text,
        "cut": answer.cut,
        "attempt": question.attempt,
        "fault": before["fault"] if before else None,
        "calls": (before["calls"] if before else 0) + really,
        "tokens": (before["tokens"] if before else 0)
        + really * (answer.input_tokens + answer.output_tokens),
    }
