"""Writing a scenario: a model puts tasks and preferences into descriptions and utilities.

    describe → proofread ↺ → score → proofread_scores ↺

`describe` asks for the description of every composite; `score` asks, for each agent by itself and
from its own preference alone, what every composite is worth to it (utility-aware exchange, A.1 and
A.2). Both ask by sheets, side by side. What is not sound goes back with the fault; a sheet that is
not sound after the last try ends the page, and nothing is written.

It plays no game, so that it has a state of its own and is no workflow of the server. Letters and
answers are kept in the journal: given the same commission again, only what is missing is asked.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from shapley_coop.games.exchange.authoring import Commission, written
from shapley_coop.games.exchange.files import build as scenario_of
from shapley_coop.nodes.exchange.author import ask_sheets
from shapley_coop.nodes.exchange.proofread import proofread
from shapley_coop.seats import Seat, check_seat, clients
from shapley_coop.seats.tracing import keep_out
from shapley_coop.state.scenario_drafts import (
    DESCRIBE,
    SCORE,
    Desk,
    Draft,
    Manuscript,
    given_up,
    held,
    unsound,
)

Outcome = Literal["again", "sound", "given_up"]


class NotWritten(RuntimeError):
    """A sheet was not sound after the last try; one line names it and its last fault."""


@dataclass(frozen=True)
class Work:
    """What came of a commission.

    Attributes:
        content: of the scenario file.
        letters: how many were needed.
        refused: how many answers were sent back.
        calls: how many letters were really sent; the journal had the answers to the others.
        tokens: in and out, of these.
    """

    content: dict[str, Any]
    letters: int
    refused: int
    calls: int
    tokens: int


def build() -> StateGraph[Manuscript, Desk, Manuscript, Manuscript]:
    """The page, not compiled."""
    page = StateGraph(Manuscript, context_schema=Desk)
    page.add_node("describe", ask_sheets(DESCRIBE))
    page.add_node("proofread", proofread(DESCRIBE))
    page.add_node("score", ask_sheets(SCORE))
    page.add_node("proofread_scores", proofread(SCORE))
    page.add_edge(START, "describe")
    page.add_edge("describe", "proofread")
    onward: dict[Any, str] = {"again": "describe", "sound": "score", "given_up": END}
    page.add_conditional_edges("proofread", verdict(DESCRIBE), onward)
    page.add_edge("score", "proofread_scores")
    page.add_conditional_edges(
        "proofread_scores", verdict(SCORE), {"again": "score", "sound": END, "given_up": END}
    )
    return page


def verdict(act: str) -> Callable[[Manuscript, Runtime[Desk]], Outcome]:
    """What proofreading came to."""

    def found(manuscript: Manuscript, runtime: Runtime[Desk]) -> Outcome:
        desk, drafts = runtime.context, manuscript["drafts"]
        if given_up(drafts, desk.tries):
            return "given_up"
        return "again" if unsound(drafts, desk.sheets(act)) else "sound"

    return found


async def write(
    commission: Commission,
    seat: Seat,
    folder: Path,
    *,
    seed: int = 0,
    tries: int = 3,
    heard: Callable[[], Any] = lambda: None,
) -> Work:
    """Have a scenario written.

    Args:
        commission: the tasks, and everybody's preference in words.
        seat: who writes; a person cannot.
        folder: where the file will lie.
        seed: of an embedded seat; another one asks any model anew.
        tries: answers to one sheet before all is given up.
        heard: called after each answer.

    Raises:
        NotWritten: a sheet was not sound after the last try.
        SeatError: the seat did not answer; giving the command again goes on from there.
        CredentialsMissing: its key is not set.
        ValueError: there is no such seat.
    """
    if seat.human:
        raise ValueError("a person writes no sheets here: name a model, or write the file by hand")
    check_seat(seat)
    keep_out(commission.preferences.values())
    desk = Desk(commission, seat, seed, tries, _episode(commission, seat, seed), heard)
    page = build().compile(name="authoring")
    async with clients():
        done = await page.ainvoke(
            {"drafts": {}}, context=desk, config={"recursion_limit": 4 * tries + 5}
        )
    drafts: dict[str, Draft] = done["drafts"]
    for name in given_up(drafts, tries):
        fault = drafts[name]["fault"]
        why = f"{fault['label']}: {fault['feedback']}" if fault else "no reason"
        raise NotWritten(f"the sheet {name!r} was sent back {tries} times, the last time for {why}")
    return Work(
        content=_content(desk, drafts, folder),
        letters=sum(draft["attempt"] for draft in drafts.values()),
        refused=sum(draft["attempt"] - 1 for draft in drafts.values()),
        calls=sum(draft["calls"] for draft in drafts.values()),
        tokens=sum(draft["tokens"] for draft in drafts.values()),
    )


def _content(desk: Desk, drafts: dict[str, Draft], folder: Path) -> dict[str, Any]:
    commission, n = desk.commission, desk.commission.tasks.n
    scores = {
        agent: held(drafts, [s for s in commission.scores if s.agent == agent], n)
        for agent in commission.tasks.agents
    }
    about = f"Descriptions and utilities were written by {desk.seat.model} from the preferences."
    content = written(commission, held(drafts, commission.descriptions, n), scores, about, folder)
    scenario_of(content, folder)  # what is written can be read, or it is an error of ours
    return content


def _episode(commission: Commission, seat: Seat, seed: int) -> str:
    """The same for the same author, so that an answer is found again by its letter."""
    told = json.dumps([commission.page.name, seat.model_dump(mode="json"), seed], sort_keys=True)
    return f"scenario-{hashlib.sha256(told.encode()).hexdigest()[:16]}"
