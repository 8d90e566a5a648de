"""The functions that ask a seat about letters of real runs and count the right answers."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from shapley_coop import games, graphs
from shapley_coop.evals.prices import Prices
from shapley_coop.extensions.trials.comprehension.questions import Question, questions
from shapley_coop.extensions.trials.comprehension.reply import QUESTION
from shapley_coop.graphs.catalogue import builder
from shapley_coop.graphs.running import play
from shapley_coop.seats.asking import Enquiry as Asked
from shapley_coop.seats.asking import ask
from shapley_coop.seats.clients import clients
from shapley_coop.seats.letters import Letter
from shapley_coop.seats.records import Entry, letter_hash
from shapley_coop.seats.seat import Answers, Seat
from shapley_coop.seats.usage import count_tokens
from shapley_coop.state.run_config import JUDGE, SUMMARISER, RunConfig
from shapley_coop.state.storage.home import home, home_for_now
from shapley_coop.state.workflow_config import playable

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
"""Workflow and game of the first runs that yield letters; embedded agents play these runs."""

MANNERS: tuple[Answers, ...] = ("text", "schema", "tools")
"""The manners in which a seat can be asked for its answers."""

_LINE = re.compile(r"^\W{0,8}(\d{1,2})[^\w−–-]{1,4}(.*)$")  # group 2 may begin with a minus
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
        by_act: act that the letter asks for → {"asked": questions, "right": right answers}.
        letters: the number of letters.
        wrong: letter, act, question, truth and answer of each wrong or missing answer.
    """

    asked: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    silent: Counter[str] = field(default_factory=Counter)
    by_act: dict[str, Counter[str]] = field(default_factory=dict)
    letters: int = 0
    wrong: list[dict[str, str]] = field(default_factory=list)

    def count(self, entry: Entry, one: Question, answer: str | None) -> None:
        """Add one answer to the counts; None is a missing answer."""
        self.asked[one.kind] += 1
        self.silent[one.kind] += answer is None
        right = answer is not None and one.right(answer)
        self.right[one.kind] += right
        self.by_act.setdefault(entry.act, Counter()).update(asked=1, right=int(right))
        if not right:
            about = {"letter": entry.letter, "act": entry.act, "question": one.text}
            self.wrong.append({**about, "truth": one.truth, "answer": answer or ""})

    def fails(self, at_least: float) -> bool:
        """Return whether too few answers are right, or no answer was given at all."""
        asked = self.asked.total()
        return self.right.total() / max(asked, 1) < at_least or self.silent.total() >= asked


async def letters_of(
    seeds: Sequence[int], runs: Iterable[tuple[str, str]] | None = None
) -> list[Entry]:
    """Play runs in a temporary home; return letters, at most two of a kind for each run.

    Args:
        seeds: the seeds; each pair in `runs` is played once with each seed.
        runs: pairs of workflow and game; None for `RUNS` and then, for each workflow, games until
            each of its questions has been asked. Pairs that are not installed are left out.
    """
    chosen: list[Entry] = []
    workflows, known = graphs.names(), games.names()
    asked: Counter[str] = Counter()
    for graph, game in [*RUNS, *_all_runs()] if runs is None else runs:
        if graph not in workflows or game not in known:
            continue
        if runs is None and (graph, game) not in RUNS and not unasked(asked, [graph]):
            continue
        for seed in seeds:
            found = await _played(graph, game, seed)
            asked.update(entry.act for entry in found)
            chosen += _of_each_act(found)
    return chosen


def _all_runs() -> Iterator[tuple[str, str]]:
    """Yield each workflow with its own game, and then with every other game that it plays."""
    for graph in graphs.names():
        page = builder(graph)
        for game in dict.fromkeys([page.game, *playable(page.plays)]):
            yield graph, game


def unasked(acts: Iterable[str], workflows: Iterable[str] = ()) -> list[str]:
    """Return the acts besides `acts` that letters of these workflows (default: all) ask for."""
    pages = map(builder, workflows or graphs.names())
    names = {question.name for page in pages for question in page.askings.values()}
    return sorted(names - {*acts})


async def _played(graph: str, game: str, seed: int) -> list[Entry]:
    """Play a game, for `contracts` also with agents that agree in words; return all letters."""
    found: list[Entry] = []
    with home_for_now():
        for seats in _SEATS:
            try:
                outcome = await play(graph, RunConfig(game=game, seed=seed, seats=seats))
            except ValueError:  # the workflow has no such role, or does not play this game
                continue
            found += await asyncio.to_thread(list, home().journal.entries(outcome["episode"]))
            if JUDGE not in seats:
                break
    return found


_EMBEDDED = "embedded:rational"
_IN_WORDS = "python:shapley_coop.extensions.trials.comprehension.reply:in_words"
_SEATS = ({"*": _IN_WORDS, SUMMARISER: _EMBEDDED, JUDGE: _EMBEDDED}, {"*": _EMBEDDED})
"""The seats of a first run (agents that agree in words, summariser, judge) and of a second one."""


def _by_act(entries: Iterable[Entry]) -> list[list[Entry]]:
    acts: dict[str, list[Entry]] = {}
    for entry in entries:
        acts.setdefault(entry.act, []).append(entry)
    return list(acts.values())


def _of_each_act(entries: Iterable[Entry]) -> list[Entry]:
    acts = _by_act(one for one in entries if one.attempt == 1 and questions_about(one))
    return [entry for found in acts for entry in (found[0], *found[1:][-1:])]


def questions_about(entry: Entry) -> list[Question]:
    """Return the questions about one letter of the journal; a tool's result has none."""
    return questions(entry.facts) if "procedure" in entry.facts and "you" in entry.facts else []


def limited(entries: Sequence[Entry], most: int) -> list[Entry]:
    """Return letters with at most `most` questions in all, taken from each kind of letter in turn.

    Raises:
        ValueError: the first letter alone has more questions.
    """
    kept: list[Entry] = []
    for entry in (one for each in zip_longest(*_by_act(entries)) for one in each if one):
        left, most = most, most - len(questions_about(entry))
        if most < 0 and not kept:
            raise ValueError(
                f"--most {left} is too few: the first letter has {left - most} questions"
            )
        if most < 0:
            break
        kept.append(entry)
    return kept


TOKENS_OF_AN_ANSWER = 12
"""The tokens of one answer in forecasts: its number, a colon, an amount or a name."""


def forecast(entries: Sequence[Entry], seat: Seat, prices: Prices) -> tuple[int, int, float | None]:
    """Return a forecast: the tokens in and out, and the cost in USD or None if unknown."""
    texts = [_letter(entry, questions_about(entry)).text() for entry in entries]
    tokens_in = sum(count_tokens(None, text, "")[0] for text in texts)
    tokens_out = TOKENS_OF_AN_ANSWER * sum(len(questions_about(entry)) for entry in entries)
    if not prices.know([seat.model]):
        return tokens_in, tokens_out, None
    call = {"model": seat.model, "input_tokens": tokens_in, "output_tokens": tokens_out}
    return tokens_in, tokens_out, prices.cost([call])


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


def _letter(entry: Entry, about: Sequence[Question]) -> Letter:
    listed = "\n".join(f"{number}: {one.text}" for number, one in enumerate(about, start=1))
    facts = {"ask": QUESTION.name, "you": entry.agent}
    return Letter(_READER, f"{entry.letter_text}\n\n{_INSTEAD}\n{listed}", facts)


async def _said(seat: Seat, seed: int, entry: Entry, about: Sequence[Question]) -> str:
    """Return the answer to one letter's questions; from the journal, if it was given before."""
    at = f"-{letter_hash(seat.base_url)[:12]}" if seat.base_url else ""  # per endpoint
    episode = f"comprehension-{seat.answers}{at}"
    question = Asked(episode, entry.agent, QUESTION.name, _letter(entry, about))
    answered, _ = await ask(seat, seed, question, home().journal)
    return re.sub(r"<CONSIDER>.*?</CONSIDER>|</?s>", "", answered.answer.text, flags=re.DOTALL)


def _by_number(text: str, count: int) -> list[str | None]:
    """Return the answers to questions 1 to `count`; if `count` is 1, no number is needed."""
    lines = [match for line in text.splitlines() if (match := _LINE.match(line))]
    told = {int(match[1]): match[2] for match in lines}
    if not told and count == 1 and text.strip():
        return [text.strip().splitlines()[-1]]
    return [told.get(number) for number in range(1, count + 1)]
