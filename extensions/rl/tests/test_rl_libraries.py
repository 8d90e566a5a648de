"""The environment in other libraries, which this package does not install."""

import sys
from dataclasses import dataclass, field
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from shapley_coop.extensions.rl import WEIGHTS, episodes
from shapley_coop.extras import LibraryMissing
from shapley_coop.seats.embedded import EmbeddedChatModel

FIRST = episodes("train")[0]


@dataclass
class Rollout:
    """What the environment reads and writes of a rollout of verifiers."""

    last_reply: str
    last_error: None = None
    rewards: dict[str, tuple[float, float]] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)

    def record_reward(self, name: str, value: float, weight: float) -> None:
        self.rewards[name] = value, weight

    def record_metrics(self, values: dict[str, float]) -> None:
        self.metrics |= values


def said(messages: list[Any]) -> str:
    """What an embedded agent answers to the words of a letter alone (`COOP_SEND_FACTS`)."""
    model = EmbeddedChatModel(agent=FIRST.agent)
    return str(model.invoke([HumanMessage("\n\n".join(messages))]).text)


@pytest.mark.parametrize(
    ("module", "library", "who"),
    [("openenv_server", "openenv", "OpenEnv"), ("verifiers_env", "verifiers", "verifiers")],
)
def test_an_absent_library_is_named_with_the_line_that_installs_it(
    module: str, library: str, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"shapley_coop.extensions.rl.{module}", raising=False)
    told = f"an environment of {who} needs {library}: pip install {library}"
    with pytest.raises(LibraryMissing, match=f"^{told}$"):
        import_module(f"shapley_coop.extensions.rl.{module}")


def test_openenv_resets_steps_and_continues_a_run() -> None:
    pytest.importorskip("openenv", reason="OpenEnv is no requirement of the tests")
    from shapley_coop.extensions.rl.openenv_server import Answer, NegotiationServer

    environment, rewards = NegotiationServer(), []
    letter = environment.reset(seed=0, episode_id="served")
    while not letter.done:
        shown = [message["content"] for message in letter.messages]
        letter = environment.step(Answer(text=said(shown)))
        rewards.append(letter.reward)
    assert environment.state.episode_id == "served"
    assert environment.state.step_count == len(rewards) >= 3
    parts = letter.score["parts"]
    assert sum(rewards) == pytest.approx(sum(WEIGHTS[part] * x for part, x in parts.items()))
    again = NegotiationServer().reset(episode_id="served")
    assert (again.done, again.score) == (True, letter.score)


async def test_verifiers_rewards_every_rollout_of_an_episode() -> None:
    pytest.importorskip("verifiers.v1", reason="verifiers is no requirement of the tests")
    from shapley_coop.extensions.rl.verifiers_env import (
        NegotiationConfig,
        NegotiationEnv,
        NegotiationTaskset,
    )

    tasks = list(NegotiationTaskset(NegotiationConfig(split="eval")))
    assert [(task.data.game, task.data.seed) for task in tasks] == [
        (one.game, one.seed) for one in episodes("eval")
    ]
    task, rollouts = next(iter(NegotiationTaskset(NegotiationConfig()))), []

    async def run(asked: Any) -> Rollout:
        assert [message.role for message in asked.data.prompt][:2] == ["system", "user"]
        rollouts.append(Rollout(said([message.content for message in asked.data.prompt])))
        return rollouts[-1]

    await NegotiationEnv.run(None, task, SimpleNamespace(negotiator=SimpleNamespace(run=run)))
    assert len(rollouts) >= 3
    for rollout in rollouts:
        assert rollout.rewards.keys() == WEIGHTS.keys()
        assert rollout.metrics["payoff"] <= rollout.metrics["bound"]
