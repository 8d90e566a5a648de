"""The writing of a scenario: a model turns tasks and preferences into descriptions and utilities.

The model first describes every composite task. Then it scores every composite for each agent, in
separate letters that show only that agent's preference (utility-aware exchange, A.1 and A.2). Both
steps are divided into sheets, and letters for several sheets are sent in parallel. A faulty sheet
is sent back with its fault. If a sheet is still faulty after the last try, nothing is written.

No game is played, so writing is not a workflow of the server. The journal keeps letters and
answers, so a repeated call asks only for missing sheets.
"""

import asyncio
import hashlib
import json
import re
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
from shapley_coop.extensions.exchange.domain.files import build as scenario_of
from shapley_coop.extensions.exchange.domain.masks import members
from shapley_coop.games import GameError
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
"""The acts (kinds) of the letters, which are also the names of the letters' templates."""

_TEMPLATES = {
    path.stem: path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*.md")
}

AUTHOR = "author"
"""The name of the agent in letters for descriptions; letters for scores name the real agent."""

AT_ONCE = 16
"""The most letters that wait for answers at the same time."""


class NotWritten(RuntimeError):
    """The error if a sheet is faulty after the last try; it names the sheet and its last fault."""


@dataclass(frozen=True)
class Work:
    """The written scenario, and the number of letters, answers and tokens that it took.

    Attributes:
        content: the scenario file's content.
        letters: the number of letters, including those that an interrupted earlier call sent.
        refused: the number of answers that were sent back with a fault.
        calls: the number of letters sent this time; the journal had the answers to the others.
        tokens: the tokens read and written for these letters.
    """

    content: dict[str, Any]
    letters: int
    refused: int
    calls: int
    tokens: int


Contents = dict[tuple[str, int], Any]
"""The content of valid sheets: ("", mask) → description, or (agent, mask) → score."""


async def write(
    commission: Commission,
    seat: Seat,
    folder: Path,
    *,
    seed: int = 0,
    tries: int = 3,
    progress: Callable[[], Any] = lambda: None,
) -> Work:
    """Let a seat write a scenario.

    Args:
        commission: the tasks, and every agent's preference in words.
        seat: the seat that writes; it cannot be a person.
        folder: the folder of the scenario file.
        seed: the seed of an embedded seat; a new seed also makes a model write all sheets again.
        tries: the most answers to one sheet before the writing fails.
        progress: a callback, called after each answer.

    Raises:
        NotWritten: a sheet was faulty after the last try.
        SeatError: the seat did not answer; a repeated call resumes from the missing sheets.
        CredentialsMissing: the seat's key is not set.
        ValueError: the seat does not exist, or is a person.
    """
    if seat.human:
        raise ValueError("a person cannot write here: name a model, or write the file by hand")
    check_seat(seat)
    keep_out(commission.preferences.values())
    # The first use of the journal opens a database, which must not block the event loop.
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
    scenario_of(content, folder)  # checks the content; an error here is a bug of this module
    return content


class _Author:
    """The author, which asks a seat for the texts of a scenario, and counts letters and tokens."""

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
        """Ask for sheets until all are valid, and return their content.

        If a letter fails, the error is raised only after all parallel letters have ended. The
        journal keeps their answers, so a repeated call asks only for the other sheets.
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
                # Read in order: of two sheets with the same description, the second is sent back.
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
            f"the answer to {name!r} was refused {self._tries} times, last for {fault.label}: "
            f"{fault.feedback}"
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
        """Return the letter for a sheet; it shows no preference but that of the sheet's agent."""
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
        """Return mask → description or score from an answer, or the fault to send back."""
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
    """Return the JSON of an answer's proposal, or the fault that makes it unreadable."""
    if answer.cut:
        return CUT
    alone = _ALONE.fullmatch(answer.text)
    message = scan(f"<PROPOSAL>{alone[1]}</PROPOSAL>" if alone else answer.text)
    if isinstance(message, Fault):
        return message
    if message.proposal is None:
        return Fault("MPT", "Put one JSON object between <PROPOSAL> and </PROPOSAL>.")
    return message.proposal


_ALONE = re.compile(r"[^{}<>]*(\{[^{}<>]*\})[^{}<>]*")  # a text with one JSON object and no tags


def _numbers(raw: Any) -> Any:
    """Return bit string → score with the scores as floats; `scan` leaves decimals as text."""
    if not isinstance(raw, dict):
        return raw
    return {bits: _number(score) for bits, score in raw.items()}


def _number(score: Any) -> Any:
    try:
        return float(score) if isinstance(score, str) else score
    except ValueError:
        return score


def _episode(commission: Commission, seat: Seat, seed: int) -> str:
    """Return an episode id; with the same seat, seed and scenario name, answers are reused."""
    told = json.dumps([commission.page.name, seat.model_dump(mode="json"), seed], sort_keys=True)
    return f"scenario-{hashlib.sha256(told.encode()).hexdigest()[:16]}"
