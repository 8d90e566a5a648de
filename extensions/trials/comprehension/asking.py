"""The functions that ask a seat about letters of real runs and count the right answers."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from shapley_coop import games, graphs
from shapley_coop.extensions.trials.comprehension.questions import Question, questions
from shapley_coop.graphs.running import play
from shapley_coop.seats.asking import Enquiry as Asked
from shapley_coop.seats.asking import ask
from shapley_coop.seats.clients import clients
from shapley_coop.seats.letters import Letter
from shapley_coop.seats.records import Entry, Mail
from shapley_coop.seats.seat import Seat
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home

RUNS: tuple[tuple[str, str], ...] = (
    ("llm_only", "prisoners_dilemma"),
    ("negotiation", "stag_hunt"),
    ("negotiation_priced", "escape_room"),
    ("short_term", "escape_room"),
    ("shapley_coop", "escape_room"),
    ("shapley_coop", "raid_battle"),
    ("contracts", "prisoners_dilemma"),
    ("settlement", "delivered"),
    ("task_exchange", "task_exchange"),
)
"""Workflow and game of the runs that yield the letters; embedded agents play these runs."""

_LINE = re.compile(r"^\W{0,8}(\d{1,2})\W{1,4}(.*)$")
_READER = "You read a letter to a player of a game and answer questions about it."
_INSTEAD = """\
# Questions, in place of an answer

Do not answer the letter itself. It only matters here whether it can be understood. Answer each of
these questions from the letter alone, on a line of its own, as in `1: 3.5`: the number of the
question, a colon, and one number or name.
"""


@dataclass
class Score:
    """The counts of right, wrong and missing answers to questions about letters.

    Attributes:
        asked: kind of question → number of questions.
        right: kind of question → number of right answers.
        silent: kind of question → number of missing answers.
        letters: the number of letters.
        wrong: letter, act, question, truth and answer of each wrong or missing answer.
    """

    asked: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    silent: Counter[str] = field(default_factory=Counter)
    letters: int = 0
    wrong: list[dict[str, str]] = field(default_factory=list)

    def count(self, entry: Entry, one: Question, answer: str | None) -> None:
        """Add one answer to the counts; None is a missing answer."""
        self.asked[one.kind] += 1
        self.silent[one.kind] += answer is None
        if answer is not None and one.right(answer):
            self.right[one.kind] += 1
        else:
            about = {"letter": entry.letter, "act": entry.act, "question": one.text}
            self.wrong.append({**about, "truth": one.truth, "answer": answer or ""})


async def letters_of(seeds: Sequence[int], runs: Iterable[tuple[str, str]] = RUNS) -> list[Entry]:
    """Play runs and return letters that have questions, at most two for each run and act.

    Args:
        seeds: one run of each workflow is played for each seed, and kept in the home.
        runs: pairs of workflow and game; pairs that are not installed are left out.
    """
    chosen: list[Entry] = []
    workflows, known = graphs.names(), games.names()
    for graph, game in runs:
        if graph not in workflows or game not in known:
            continue
        for seed in seeds:
            outcome = await play(graph, RunConfig(game=game, seed=seed))
            chosen += _of_each_act(await asyncio.to_thread(_written, outcome["episode"]))
    return chosen


def _written(episode: str) -> list[Entry]:
    return list(home().journal.entries(episode))


def _of_each_act(entries: Iterable[Entry]) -> list[Entry]:
    acts: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.attempt == 1 and questions_about(entry):
            acts.setdefault(entry.act, []).append(entry)
    return [entry for found in acts.values() for entry in (found[0], *found[1:][-1:])]


def questions_about(entry: Entry) -> list[Question]:
    """Return the questions about one letter of the journal; a tool's result has none."""
    return questions(entry.facts) if "procedure" in entry.facts and "you" in entry.facts else []


async def asked_about(
    entries: Sequence[Entry], seat: Seat, seed: int = 0, at_once: int = 8
) -> Score:
    """Ask a seat questions about letters, and score the answers.

    Embedded characters read no words, so a program finds their answers in the letter's words.
    A wrong answer by that program shows that words and facts of a letter differ.

    Args:
        entries: the letters.
        seat: the seat that answers.
        seed: the seed handed to the seat.
        at_once: the largest number of calls in parallel.

    Raises:
        SeatError: the seat did not answer.
    """
    score, gate = Score(letters=len(entries)), asyncio.Semaphore(at_once)

    async def one(entry: Entry) -> list[str | None]:
        about = questions_about(entry)
        if seat.simulated:
            return [question.read(entry.letter_text) for question in about]
        async with gate:
            return _by_number(await _said(seat, seed, entry, about), len(about))

    async with clients():
        found = await asyncio.gather(*map(one, entries))
    for entry, answers in zip(entries, found, strict=True):
        for question, answer in zip(questions_about(entry), answers, strict=True):
            score.count(entry, question, answer)
    return score


async def _said(seat: Seat, seed: int, entry: Entry, about: Sequence[Question]) -> str:
    listed = "\n".join(f"{number}: {one.text}" for number, one in enumerate(about, start=1))
    letter = Letter(_READER, f"{entry.letter_text}\n\n{_INSTEAD}\n{listed}")
    question = Asked("", entry.agent, "question", letter)
    answered, _ = await ask(seat, seed, question, _Unkept(), look_up=False)
    return answered.answer.text


class _Unkept:
    """A journal that keeps nothing, since the questions asked here belong to no run."""

    def find(
        self, episode: str, agent: str, letter: str, attempt: int, model: str = ""
    ) -> Entry | None:
        return None

    def deliver(self, episode: str, mail: Mail) -> Mail:
        raise ValueError("people are not asked about letters here: give a model")

    async def keep(self, episode: str, entry: Entry) -> Entry:
        return entry


def _by_number(text: str, count: int) -> list[str | None]:
    """Return the answers to questions 1 to `count`; if `count` is 1, no number is needed."""
    lines = [match for line in text.splitlines() if (match := _LINE.match(line))]
    told = {int(match[1]): match[2] for match in lines}
    if not told and count == 1 and text.strip():
        return [text.strip().splitlines()[-1]]
    return [told.get(number) for number in range(1, count + 1)]
