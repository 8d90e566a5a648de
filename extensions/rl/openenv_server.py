"""The environment as a server of OpenEnv."""

from dataclasses import asdict
from typing import Any

from shapley_coop.blocking import run_blocking
from shapley_coop.extensions.rl.dataset import episodes
from shapley_coop.extensions.rl.environment import Negotiation, Seen
from shapley_coop.extras import missing_library

try:
    from openenv.core.env_server import Environment, create_app
    from openenv.core.env_server.types import Action, Observation, State
except ImportError:
    raise missing_library("an environment of OpenEnv", "openenv") from None


class Answer(Action):  # type: ignore[misc]
    """The learner's answer to a letter."""

    text: str


class Letter(Observation):  # type: ignore[misc]
    """The open letter, or at the end the score."""

    messages: list[dict[str, Any]]
    score: dict[str, Any] | None = None


class NegotiationServer(Environment):  # type: ignore[misc]
    """The environment of one session; its state names the run."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._inner, self._state = Negotiation(), State()

    async def reset_async(
        self, seed: int | None = None, episode_id: str | None = None, split: str = "train"
    ) -> Letter:
        """Begin the split's episode number `seed`, or continue the run named `episode_id`."""
        known = episodes(split)
        seen = await self._inner.reset(known[(seed or 0) % len(known)], episode_id or "")
        self._state = State(episode_id=seen.run)
        return _letter(seen)

    async def step_async(self, action: Answer) -> Letter:
        """Answer the open letter."""
        self._state.step_count += 1
        return _letter(await self._inner.step(action.text))

    def reset(self, *given: Any, **named: Any) -> Letter:
        """Call `reset_async` without `await`."""
        return run_blocking(self.reset_async(*given, **named))

    def step(self, action: Answer) -> Letter:
        """Call `step_async` without `await`."""
        return run_blocking(self.step_async(action))

    @property
    def state(self) -> State:
        """The run's name, and the number of answers."""
        return self._state


def app() -> Any:
    """Return the FastAPI application of the server."""
    return create_app(NegotiationServer, Answer, Letter, env_name="negotiation")


def _letter(seen: Seen) -> Letter:
    ended = asdict(seen.score) if seen.score else None
    return Letter(done=seen.done, reward=seen.reward, messages=seen.messages, score=ended)
