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
    """What a learner sees after its answer: the next letter, or the end.

    Attributes:
        run: the run's name.
        messages: the letter exactly as a model at the seat gets it; empty at the end.
        facts: the letter's content as an object, for programs.
        attempt: the number of the attempt at this letter, from 1.
        reward: the reward for the answer; the rewards of an episode sum to its score's total.
        score: the rewards in parts, with their bound; None before the end.
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
    """The chat model at the learner's seat; it puts letters into a queue and awaits replies."""

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
    """An environment whose episodes are runs; it plays one at a time, and keeps nothing itself."""

    def __init__(self) -> None:
        self._playing: asyncio.Task[Outcome] | None = None
        self._reply: asyncio.Future[str] | None = None

    async def reset(self, episode: Episode, run: str = "") -> Seen:
        """Begin an episode, or continue the run of this name, and return its open letter.

        Raises:
            ValueError: the game, the workflow or a seat is wrong, or the best total is not known.
        """
        await self.close()
        room = {"params": {}, **episode.settings, "game": episode.game, "seed": episode.seed}
        await asyncio.to_thread(best_total, room, episode.workflow)
        self._letters: asyncio.Queue[Any] = asyncio.Queue()
        self._agent, self._rewarded = episode.agent, 0.0
        self._run = run or f"rl-{episode.game}-{episode.seed}-{uuid4().hex[:8]}"
        seats = {**episode.others, episode.agent: _Learner(letters=self._letters)}
        if await asyncio.to_thread(is_known, self._run):
            playing = resume(self._run, seats)
        else:
            playing = play(episode.workflow, {**room, "seats": seats}, self._run)
        self._playing = asyncio.create_task(playing)
        self._playing.add_done_callback(lambda _: self._letters.put_nowait(None))
        return await self._next()

    async def step(self, answer: str) -> Seen:
        """Answer the open letter.

        Raises:
            RuntimeError: no letter is open.
            SeatError: another seat did not answer; `reset` with the run's name continues.
        """
        if self._reply is None:
            raise RuntimeError("no letter is open: call reset")
        self._reply.set_result(answer)
        return await self._next()

    async def close(self) -> None:
        """Stop the episode; `reset` with the run's name continues it."""
        playing, self._playing, self._reply = self._playing, None, None
        if playing is not None and playing.cancel():
            with suppress(asyncio.CancelledError):
                await playing

    def reset_sync(self, episode: Episode, run: str = "") -> Seen:
        """Call `reset` without `await`."""
        return run_blocking(self.reset(episode, run))

    def step_sync(self, answer: str) -> Seen:
        """Call `step` without `await`."""
        return run_blocking(self.step(answer))

    async def _next(self) -> Seen:
        """Return the next letter, or the end with all rewards that were not given before."""
        self._reply, letter = None, await self._letters.get()
        if letter is None:
            assert self._playing is not None
            outcome = await self._playing
            found = await asyncio.to_thread(score, outcome.run, self._agent)
            return Seen(self._run, reward=found.total - self._rewarded, score=found)
        messages, asked, self._reply = letter
        reward = 0.0
        if asked.attempt > 1:
            reward = -WEIGHTS["validity"] - WEIGHTS["payability"] * (asked.why == UNPAYABLE)
        self._rewarded += reward
        sent = convert_to_openai_messages(messages)
        return Seen(self._run, sent, asked.letter.facts, asked.attempt, reward)
