"""Writing a scenario: a model puts tasks and preferences into descriptions and utilities.

The model first describes every composite task. Then, for each agent in a letter of its own that
shows that agent's preference alone, it says what every composite is worth to the agent
(utility-aware exchange, A.1 and A.2). Both are asked for in sheets, several at a time. A sheet that
is not sound goes back with the fault; if one is not sound after the last try, nothing is written.

No game is played, so this is no workflow of the server. Letters and answers are kept in the
journal: the same commission, given again, asks only for what is missing.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shapley_coop.deals.language.faults import CUT, Fault
from shapley_coop.deals.language.wire import scan
from shapley_coop.extensions.authoring.commission import (
    Commission,
    Sheet,
    read_descriptions_sheet,
    read_scores_sheet,
    written,
)
from shapley_coop.games import GameError
from shapley_coop.games.exchange.files import build as scenario_of
from shapley_coop.games.exchange.masks import members
from shapley_coop.prompts import fence, fill
from shapley_coop.seats.asking import Enquiry
from shapley_coop.seats.asking import ask as ask_seat
from shapley_coop.seats.clients import clients
from shapley_coop.seats.letters import Letter
from shapley_coop.seats.models import check_seat
from shapley_coop.seats.records import Answer, Journal
from shapley_coop.seats.seat import Seat
from shapley_coop.seats.tracing import keep_out
from shapley_coop.state.storage.home import home

DESCRIBE, SCORE = "exchange_describe", "exchange_score"
"""What a letter asks for; also the name of its template."""

_TEMPLATES = {
    path.stem: path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*.md")
}

AUTHOR = "author"
"""Who describes; scores are asked for in the name of the agent whose they are."""

AT_ONCE = 16
"""Letters under way at the same time."""


class NotWritten(RuntimeError):
    """A sheet was not sound after the last try; one line names it and its last fault."""


@dataclass(frozen=True)
class Work:
    """What came of a commission.

    Attributes:
        content: of the scenario file.
        letters: how many were needed.
        refused: how many answers were sent back.
        calls: how many of them were sent; the journal had the answers to the others.
        tokens: of these calls, in and out.
    """

    content: dict[str, Any]
    letters: int
    refused: int
    calls: int
    tokens: int


Contents = dict[tuple[str, int], Any]
"""What sound sheets say: (agent, or empty; mask of a composite) → its description or utility."""


async def write(
    commission: Commission,
    seat: Seat,
    folder: Path,
    *,
    seed: int = 0,
    tries: int = 3,
    progress: Callable[[], Any] = lambda: None,
) -> Work:
    """Have a scenario written.

    Args:
        commission: the tasks, and every agent's preference in words.
        seat: who writes; a person cannot.
        folder: where the file will lie.
        seed: of an embedded seat; a new seed makes any model answer anew.
        tries: how many answers to one sheet are read before writing fails.
        progress: called after each answer.

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
    # The first use opens a database, which must not hold up the event loop.
    journal = await asyncio.to_thread(lambda: home().journal)
    author = _Author(commission, seat, seed, tries, journal, progress)
    async with clients():
        described = await author.write(DESCRIBE, commission.descriptions)
        author.described |= described
        scored = await author.write(SCORE, commission.scores)
    content = _content(commission, seat, folder, described, scored)
    return Work(content, author.letters, author.refused, author.calls, author.tokens)


def _content(
    commission: Commission, seat: Seat, folder: Path, described: Contents, scored: Contents
) -> dict[str, Any]:
    """Return the scenario file's content."""
    scores = {
        agent: {mask: scored[agent, mask] for a, mask in scored if a == agent}
        for agent in commission.tasks.agents
    }
    about = f"Descriptions and utilities were written by {seat.model} from the preferences."
    new = {mask: text for (_, mask), text in described.items()}
    content = written(commission, new, scores, about, folder)
    scenario_of(content, folder)  # what is written can be read, or it is an error of ours
    return content


class _Author:
    """Asks one seat for sheets, and counts what that costs."""

    def __init__(
        self,
        commission: Commission,
        seat: Seat,
        seed: int,
        tries: int,
        journal: Journal,
        progress: Callable[[], Any],
    ) -> None:
        self._commission, self._seat, self._seed = commission, seat, seed
        self._tries, self._journal, self._progress = tries, journal, progress
        self._episode = _episode(commission, seat, seed)
        self._lanes = asyncio.Semaphore(AT_ONCE)
        self.described: Contents = {
            ("", mask): text for mask, text in commission.tasks.registry.written().items()
        }
        self.letters = self.refused = self.calls = self.tokens = 0

    async def write(self, act: str, sheets: Sequence[Sheet]) -> Contents:
        """Return what all sheets hold, once every one is sound.

        All that is asked in parallel is answered before a failure is raised: what is answered is
        kept, and giving the same command again asks for the rest alone.
        """
        held: Contents = {}
        faults: dict[str, Fault] = {}
        open_sheets = list(sheets)
        for attempt in range(1, self._tries + 1):
            asking = (self._ask(act, s, attempt, faults.get(s.name)) for s in open_sheets)
            answers = await asyncio.gather(*asking, return_exceptions=True)
            faults = {}
            for sheet, answer in zip(open_sheets, answers, strict=True):
                if isinstance(answer, BaseException):
                    raise answer
                # One after the other: of two sheets that share a description the second goes back.
                found = self._read(sheet, answer, {**self.described, **held})
                if isinstance(found, Fault):
                    faults[sheet.name] = found
                else:
                    held |= {(sheet.agent or "", mask): x for mask, x in found.items()}
            self.refused += len(faults)
            open_sheets = [sheet for sheet in open_sheets if sheet.name in faults]
            if not open_sheets:
                return held
        name, fault = next(iter(faults.items()))
        raise NotWritten(
            f"the sheet {name!r} was sent back {self._tries} times, the last time for "
            f"{fault.label}: {fault.feedback}"
        )

    async def _ask(self, act: str, sheet: Sheet, attempt: int, fault: Fault | None) -> Answer:
        agent = sheet.agent or AUTHOR
        question = Enquiry(
            episode=self._episode,
            agent=agent,
            act=act,
            letter=self._letter(act, sheet, fault),
            attempt=attempt,
            why=fault.label if fault else "",
            trace={
                "run_name": f"{agent}.{act}",
                "tags": [act, *(["simulated"] if self._seat.simulated else [])],
                "metadata": {
                    "agent": agent,
                    "act": act,
                    "episode": self._episode,
                    "model": self._seat.model,
                    "simulated": self._seat.simulated,
                },
            },
        )
        async with self._lanes:
            entry, really = await ask_seat(self._seat, self._seed, question, self._journal)
        self._progress()
        self.letters += 1
        self.calls += really
        self.tokens += really * (entry.answer.input_tokens + entry.answer.output_tokens)
        return entry.answer

    def _letter(self, act: str, sheet: Sheet, fault: Fault | None) -> Letter:
        """A sheet's letter; it holds no preference but that of the agent who scores."""
        tasks = self._commission.tasks
        facts: dict[str, Any] = {"you": sheet.agent or AUTHOR, "ask": act}
        if sheet.agent:
            facts["preference"] = self._commission.preferences[sheet.agent]
            facts["composites"] = {tasks.bits(m): self.described["", m] for m in sheet.masks}
        else:
            facts["composites"] = {
                tasks.bits(mask): [tasks.atoms[i].says for i in members(mask, tasks.n)]
                for mask in sheet.masks
            }
        if fault:
            facts["fault"] = fault.record()
        atoms = [{"task": a.tool, "arguments": a.arguments, "says": a.says} for a in tasks.atoms]
        example = tasks.bits(sheet.masks[0])
        told = facts.get("fault")
        return Letter(
            system=fill(
                _TEMPLATES["exchange_author"], atoms=tasks.n, facts=fence({"atoms": atoms})
            ),
            user=fill(
                _TEMPLATES[act],
                you=facts["you"],
                example=example,
                fault=told,
                facts=fence(facts),
            ),
            facts={"atoms": atoms, **facts},
        )

    def _read(self, sheet: Sheet, answer: Answer, described: Contents) -> Mapping[int, Any] | Fault:
        """Return what a sheet holds, or why it is sent back."""
        raw, tasks = _proposal(answer), self._commission.tasks
        if isinstance(raw, Fault):
            return raw
        try:
            if sheet.agent:
                return read_scores_sheet(_numbers(raw), sheet, tasks)
            taken = {text: mask for (_, mask), text in described.items()}
            return read_descriptions_sheet(raw, sheet, tasks, taken)
        except GameError as error:
            return Fault("SHEET", f"{error}.")


def _proposal(answer: Answer) -> Any:
    """Return what stands in an answer's one proposal, or why nothing can be read there."""
    if answer.cut:
        return CUT
    message = scan(answer.text)
    if isinstance(message, Fault):
        return message
    if message.proposal is None:
        return Fault("MPT", "Put one JSON object between <PROPOSAL> and </PROPOSAL>.")
    return message.proposal


def _numbers(raw: Any) -> Any:
    """Scores as numbers: the reader of messages leaves decimals as text."""
    if not isinstance(raw, dict):
        return raw
    return {bits: _number(score) for bits, score in raw.items()}


def _number(score: Any) -> Any:
    try:
        return float(score) if isinstance(score, str) else score
    except ValueError:
        return score


def _episode(commission: Commission, seat: Seat, seed: int) -> str:
    """Return the journal's key for one author, seed and commission, so that answers are reused."""
    told = json.dumps([commission.page.name, seat.model_dump(mode="json"), seed], sort_keys=True)
    return f"scenario-{hashlib.sha256(told.encode()).hexdigest()[:16]}"
