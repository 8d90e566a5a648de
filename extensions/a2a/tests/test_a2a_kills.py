"""The table's process is killed between two letters to a remote agent: paid once, asked once."""

from collections import Counter
from itertools import chain, count
from pathlib import Path
from random import Random

import pytest

from extensions.a2a.tests.a2a_agents import a2a_agent
from shapley_coop.state.storage.home import Home
from tests.trials import Audit, Play, Trial
from tests.warm_coop import Stop, warm_coop

KILLS = 50


@pytest.mark.slow
def test_a_killed_table_asks_no_letter_again_but_the_one_under_way(tmp_path: Path) -> None:
    coop = warm_coop(Home(tmp_path))
    with a2a_agent() as agent:
        options = ("escape_room", "--seed", "3", "--agent", f"Bob=a2a:{agent.url}")
        play = Play.uninterrupted(coop, "whole", options)
        trials: list[Trial] = []
        for number in count():
            rng = Random(f"a2a {number}")
            trial = Trial(coop, f"r{number}", play)
            stops = (Stop(write=rng.randint(1, 12), before=rng.random() < 0.5) for _ in count())
            trial.through(stops)
            trials.append(trial)
            if sum(trial.kills for trial in trials) >= KILLS:
                break
    audit = Audit.of(coop.home, [play], trials)
    assert audit.clean, str(audit)
    assert all(coop.run("verify", trial.name).code == 0 for trial in trials)
    for trial in trials:
        # Equal plays have equal letters, and messages of equal ids: episodes tell them apart.
        episode = trial.results[-1]["episode"]
        heard = (one for one in agent.heard if one.letter["episode"] == episode)
        again = Counter(one.message for one in heard)
        assert sum(times - 1 for times in again.values()) <= trial.kills


@pytest.mark.slow
def test_a_killed_agent_is_asked_again_when_it_is_back(tmp_path: Path) -> None:
    """The agent forgets all of its tasks; the run stops, and goes on once somebody is there."""
    coop = warm_coop(Home(tmp_path))
    argv = ("run", "escape_room", "--seed", "3", "--name", "r", "--json")
    with a2a_agent(gone_after=2) as agent:
        ended = coop.run(*argv, "--agent", f"Bob=a2a:{agent.url}")
        assert ended.code != 0
        heard = list(agent.heard)
    with a2a_agent(port=agent.port) as back:
        result = coop.run("resume", "r", "--json").result
    assert result["payoffs"] == {"Alice": 4.5, "Bob": 4.5}
    again = Counter(one.message for one in chain(heard, back.heard))
    assert sum(times - 1 for times in again.values()) <= 1
    assert coop.run("verify", "r").code == 0
