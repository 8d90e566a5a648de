"""The environment for `verifiers`: each letter is one rollout of the agent `negotiator`."""

from collections.abc import Iterator
from typing import Any

from shapley_coop.extensions.rl.dataset import episode, episodes
from shapley_coop.extensions.rl.environment import Negotiation
from shapley_coop.extensions.rl.rewards import WEIGHTS
from shapley_coop.extras import missing_library

try:
    import verifiers.v1 as vf
except ImportError:
    raise missing_library("an environment of verifiers", "verifiers") from None


class EpisodeData(vf.TaskData):  # type: ignore[misc]
    """The game and the seed of an episode."""

    game: str
    seed: int


class EpisodeTask(vf.Task[EpisodeData]):  # type: ignore[misc]
    """An episode of the data set."""


class NegotiationConfig(vf.TasksetConfig):  # type: ignore[misc]
    """The part of the data set: `train` or `eval`."""

    split: str = "train"


class NegotiationTaskset(vf.Taskset[EpisodeTask, NegotiationConfig]):  # type: ignore[misc]
    """The episodes of one part of the data set."""

    def load(self) -> Iterator[EpisodeTask]:
        """Yield one task for each episode."""
        for one in episodes(self.config.split):
            data = EpisodeData(name=f"{one.game}-{one.seed}", game=one.game, seed=one.seed)
            yield EpisodeTask(data, self.config.task)


class NegotiationEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """The agent at the learner's seat: a chat without tools."""

    negotiator: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"})


class NegotiationEnv(vf.Env[NegotiationEnvConfig]):  # type: ignore[misc]
    """An episode, whose rewards every rollout gets."""

    async def run(self, task: Any, agents: Any) -> None:
        """Play one episode; a rollout that fails ends it without rewards."""
        environment, rollouts = Negotiation(), []
        try:
            seen = await environment.reset(episode(task.data.game, task.data.seed))
            while not seen.done:
                rollout = await agents.negotiator.run(task.with_data(prompt=_prompt(seen.messages)))
                if rollout.last_error:
                    break
                rollouts.append(rollout)
                seen = await environment.step(rollout.last_reply)
        finally:
            await environment.close()
        if seen.score is None:
            return
        for rollout in rollouts:
            for part, value in seen.score.parts.items():
                rollout.record_reward(part, value, WEIGHTS[part])
            rollout.record_metrics({"payoff": seen.score.payoff, "bound": seen.score.bound})


def _prompt(messages: list[dict[str, Any]]) -> list[Any]:
    kinds = {"system": vf.SystemMessage, "user": vf.UserMessage, "assistant": vf.AssistantMessage}
    return [kinds[one["role"]](content=one["content"]) for one in messages]
