"""The environment: a learner answers the letters of one seat, and is rewarded by the record."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from langchain_core.messages import BaseMessage, convert_to_openai_messages

from shapley_coop import Outcome, play, resume
from shapley_coop.blocking import run_blocking
from shapley_coop.extensions.rl.dataset import Episode
from shapley_coop.extensions.rl.rewards import UNPAYABLE, WEIGHTS, Score, best_total, score
from shapley_coop.graphs.finding import is_known
from shapley_coop.seats.awaited import LetterChatModel

if TYPE_CHECKING:
    from shapley_coop.seats.asking import Enquiry
    from shapley_coop.seats.records import Journal


@dataclass(frozen=True)
class Seen:
    """What the learner sees after an answer: the next letter, or the end.

    Attributes:
        run: the run's name, for `coop letters`, `coop show` and `coop verify`.
        messages: the letter as chat messages, exactly as a model at the seat gets it; empty at the
            end.
        facts: the same content as an object, for programs.
        attempt: the number of the attempt at this letter, from 1.
        reward: the reward of the answer before; all of an episode sum to `score.total`.
        score: the rewards of the episode and their bound; None before the end.
    """

    run: str
    messages: list[dict[str, Any]] = field(default_factory=list)
    facts: Mapping[str, Any] = field(default_factory=dict)
    attempt: int = 1
    reward: float = 0.0
    score: Score | None = None

    @property
    def done(self) -> bool:
        """Whether the episode has ended."""
        return self.score is not None


class _Learner(LetterChatModel):
    """The chat model at the learner's seat, which puts each letter into the environment's queue."""

    letters: Any
    question: Any = None
    cache: bool | None = False

    def for_letter(self, question: "Enquiry", journal: "Journal") -> "_Learner":
        return _Learner(letters=self.letters, question=question)

    @property
    def _llm_type(self) -> str:
        return "learner"

    async def answered(self, messages: list[BaseMessage]) -> str:
        reply: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.letters.put_nowait((messages, self.question, reply))
        return await reply


class Negotiation:
    """An environment whose episodes are runs: `reset` begins one, and `step` answers a letter.

    The other seats are those of the episode. Everything that is kept is what a run keeps. If the
    process is killed, `reset` with the run's name goes on at the letter that was not answered.
    An instance plays one episode at a time; any number of instances play at once.
    """

    def __init__(self) -> None:
        self._playing: asyncio.Task[Outcome] | None = None

    async def reset(self, episode: Episode, run: str = "") -> Seen:
        """Begin an episode, or continue the run of this name, and return its first letter.

        Raises:
            ValueError: the game, the workflow or a seat is wrong, or the best total is not known.
        """
        await self.close()
        self._seat = episode.seat
        self._letters: asyncio.Queue[Any] = asyncio.Queue()
        self._reply: asyncio.Future[str] | None = None
        self._rewarded = 0.0
        await asyncio.to_thread(best_total, episode.room, episode.workflow)
        seats = {**episode.room["seats"], self._seat: _Learner(letters=self._letters)}
        room = {**episode.room, "seats": seats}
        self._run = run or f"rl-{episode.game}-{episode.seed}-{uuid4().hex[:8]}"
        if await asyncio.to_thread(is_known, self._run):
            playing = resume(self._run, seats)
        else:
            playing = play(episode.workflow, run=self._run, **room)
        self._playing = asyncio.create_task(playing)
        self._playing.add_done_callback(lambda _: self._letters.put_nowait(None))
        return await self._next()

    async def step(self, answer: str) -> Seen:
        """Answer the last letter, and return the next one with the reward of this answer.

        Raises:
            RuntimeError: no letter waits for an answer.
            SeatError: another seat did not answer; `reset` with the run's name continues.
        """
        if self._playing is None or self._reply is None:
            raise RuntimeError("no letter waits for an answer: call reset")
        self._reply.set_result(answer)
        self._reply = None
        return await self._next()

    async def close(self) -> None:
        """Stop the episode; `reset` with the run's name can continue it."""
        playing, self._playing = self._playing, None
        if playing is not None and not playing.done():
            playing.cancel()
            with suppress(asyncio.CancelledError):
                await playing

    def reset_sync(self, episode: Episode, run: str = "") -> Seen:
        """Do what `reset` does, without `await`."""
        return run_blocking(self.reset(episode, run))

    def step_sync(self, answer: str) -> Seen:
        """Do what `step` does, without `await`."""
        return run_blocking(self.step(answer))

    async def _next(self) -> Seen:
        """Wait for the next letter or the end of the run."""
        asked = await self._letters.get()
        if asked is None:
            return await self._end()
        messages, question, self._reply = asked
        reward = 0.0
        if question.attempt > 1:
            reward = -WEIGHTS["validity"]
            reward -= WEIGHTS["payability"] * (question.why == UNPAYABLE)
        self._rewarded += reward
        return Seen(
            run=self._run,
            messages=convert_to_openai_messages(messages),
            facts=question.letter.facts,
            attempt=question.attempt,
            reward=reward,
        )

    async def _end(self) -> Seen:
        """Return the end; its reward is all that was not given before."""
        assert self._playing is not None
        outcome = await self._playing
        found = await asyncio.to_thread(score, outcome.run, self._seat)
        return Seen(run=outcome.run, reward=found.total - self._rewarded, score=found)
