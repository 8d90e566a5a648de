"""Learners that follow a script, and the arena in which the adversaries of attacks are learners."""

from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage

from shapley_coop.extensions.rl import Episode, Negotiation
from shapley_coop.extensions.rl.environment import Seen
from shapley_coop.extensions.rl.rewards import Score
from shapley_coop.extensions.trials.attacks.run import (
    AS_USUAL,
    Arena,
    NotReachedError,
    Played,
    Setup,
)
from shapley_coop.extensions.trials.attacks.seat import Script, ScriptedChatModel
from shapley_coop.games import load
from shapley_coop.seats.embedded import EmbeddedChatModel
from shapley_coop.seats.letters import FACTS


async def played(episode: Episode, model: BaseChatModel, run: str = "") -> Seen:
    """Play an episode whose learner is a chat model that reads facts; return the end."""
    environment = Negotiation()
    seen = await environment.reset(episode, run)
    while not seen.done:
        seen = await environment.step(await answer(model, seen))
    return seen


async def answer(model: BaseChatModel, seen: Seen) -> str:
    """What a chat model that reads facts answers to a letter."""
    letter = HumanMessage(seen.messages[-1]["content"], additional_kwargs={FACTS: seen.facts})
    said = await model.ainvoke([letter], config={"metadata": {"attempt": seen.attempt}})
    return str(said.text)


def character(name: str, episode: Episode) -> BaseChatModel:
    """An embedded character at the learner's seat."""
    return EmbeddedChatModel(character=name, agent=episode.agent, seed=episode.seed)


@dataclass
class LearnersArena(Arena):
    """An arena whose scripted agent is a learner in the environment."""

    scores: list[Score] = field(default_factory=list)
    episodes: list[Episode] = field(default_factory=list)

    async def play(
        self,
        graph: str,
        script: Script,
        setup: Setup = AS_USUAL,
        **settings: Any,
    ) -> Played:
        if setup.tamper or setup.patience < AS_USUAL.patience:
            raise NotReachedError("a learner can only answer letters")
        params, name = {"rounds": setup.turns}, f"{self.name}-{len(self.runs) + 1}"
        agents = load(setup.game, params, self.seed).agents
        me = agents[0 if setup.first else -1]
        seats = {
            who: ScriptedChatModel(script=says, agent=who, seed=self.seed)
            for who, says in setup.scripts(agents, me, script).items()
            if who != me
        }
        others = {"*": self.target, **seats}
        more = {"params": params, **settings}
        episode = Episode(setup.game, self.seed, me, others, graph, more)
        learner = ScriptedChatModel(script=script, pace=setup.pace, agent=me, seed=self.seed)
        self.runs.append(name)
        end = await played(episode, learner, name)
        assert end.score is not None
        self.scores.append(end.score)
        self.episodes.append(episode)
        return await self.read(name, me)
