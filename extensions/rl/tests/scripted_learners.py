"""Learners that follow a script, and the arena in which the adversaries of attacks are learners."""

from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage

from shapley_coop.extensions.rl import Episode, Negotiation
from shapley_coop.extensions.rl.environment import Seen
from shapley_coop.extensions.rl.rewards import Score
from shapley_coop.extensions.trials.attacks.run import Arena, NotReachedError, Played
from shapley_coop.extensions.trials.attacks.seat import Pace, Script, ScriptedChatModel, at_once
from shapley_coop.games import load
from shapley_coop.seats.embedded import EmbeddedChatModel
from shapley_coop.seats.letters import FACTS
from shapley_coop.state.run_config import JUDGE

PATIENCE = 60.0


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
        game: str = "escape_room",
        turns: int = 1,
        first: bool = True,
        pace: Pace = at_once,
        patience: float = PATIENCE,
        tamper: Any = None,
        tell: str = "",
        gang: int = 1,
        judge: Script | None = None,
        **settings: Any,
    ) -> Played:
        if tamper or patience < PATIENCE:
            raise NotReachedError("a learner can only answer letters")
        params, name = {"rounds": turns}, f"{self.name}-{len(self.runs) + 1}"
        agents = load(game, params, self.seed).agents
        me = agents[0 if first else -1]
        scripts: dict[str, Script] = dict.fromkeys(agents[:gang] if gang > 1 else (), script)
        scripts |= {JUDGE: judge} if judge else {}
        seats = {
            who: ScriptedChatModel(script=says, agent=who, seed=self.seed)
            for who, says in scripts.items()
            if who != me
        }
        others = {"*": self.target, **seats}
        episode = Episode(game, self.seed, me, others, graph, {"params": params, **settings})
        learner = ScriptedChatModel(script=script, pace=pace, agent=me, seed=self.seed)
        self.runs.append(name)
        end = await played(episode, learner, name)
        assert end.score is not None
        self.scores.append(end.score)
        self.episodes.append(episode)
        return await self.read(name, me)
