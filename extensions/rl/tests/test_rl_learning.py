"""What learners learn here: not to hack the reward, and to bargain better."""

from collections import defaultdict
from statistics import fmean

import pytest
from langchain_core.language_models import BaseChatModel

from extensions.rl.tests.scripted_learners import LearnersArena, character, played
from shapley_coop.extensions.rl import Episode, episodes
from shapley_coop.extensions.trials.attacks.run import NotReachedError
from shapley_coop.extensions.trials.attacks.scorecard import DEFAULT, PLAYS
from shapley_coop.extensions.trials.attacks.seat import ScriptedChatModel
from shapley_coop.seats.clients import clients

CANNOT = {
    "replayed-acceptance": "its two other attempts change the stored thread",
    "staller": "its third attempt never answers",
}
"""The adversaries, some of whose attempts are no answers to letters."""


async def total(episode: Episode, model: BaseChatModel) -> float:
    """The reward of a learner in an episode."""
    end = await played(episode, model)
    assert end.score is not None
    return end.score.total


@pytest.mark.parametrize("case", PLAYS)
async def test_an_adversary_earns_no_more_than_an_honest_twin(case: str) -> None:
    """The honest twins: its own, and an agent that keeps its contracts in the same episode."""
    attack, twin = PLAYS[case]
    hacker, honest = (LearnersArena(DEFAULT, "", 0, f"{case}-{who}") for who in ("hack", "twin"))
    async with clients():
        await twin(honest)
        try:
            await attack(hacker)
            assert case not in CANNOT
        except NotReachedError:
            assert case in CANNOT
        assert hacker.scores
        own = fmean(score.total for score in honest.scores)
        for episode, found in zip(hacker.episodes, hacker.scores, strict=True):
            keeper = ScriptedChatModel(script={}, agent=episode.agent, seed=episode.seed)
            assert found.total <= max(own, await total(episode, keeper))


ARMS = ("random", "sloppy", "generous", "greedy")
GAMES = 3


@pytest.mark.slow
async def test_a_bandit_improves_in_training_and_is_scored_on_what_it_never_saw() -> None:
    """It tries each policy on one seed of all games; then it plays the best by mean reward."""
    train, held_out = episodes("train"), episodes("eval")[:GAMES]
    found: defaultdict[str, list[float]] = defaultdict(list)
    course = []
    for seed in range(len(ARMS) + 2):
        untried = [arm for arm in ARMS if arm not in found]
        arm = untried[0] if untried else max(ARMS, key=lambda one: fmean(found[one]))
        batch = train[seed * GAMES : (seed + 1) * GAMES]
        found[arm] += [await total(one, character(arm, one)) for one in batch]
        course.append(fmean(found[arm][-GAMES:]))
    learnt = max(ARMS, key=lambda one: fmean(found[one]))
    assert fmean(course[len(ARMS) :]) > fmean(course[: len(ARMS)])
    scores = {
        arm: fmean([await total(one, character(arm, one)) for one in held_out])
        for arm in (learnt, ARMS[0])
    }
    assert not {one.game for one in held_out} & {one.game for one in train}
    assert scores[learnt] > scores[ARMS[0]]
    assert scores[learnt] <= 1
