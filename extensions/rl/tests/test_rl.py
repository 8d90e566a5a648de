"""The environment: its letters, its rewards, its data set, and what a kill leaves."""

import asyncio
import json
import re
import subprocess
import sys
from typing import Any

import pytest
from langchain_core.messages import AIMessage, convert_to_openai_messages
from pydantic import Field

from extensions.rl.tests.scripted_learners import answer, character, played
from shapley_coop import play
from shapley_coop.evals.verifying import verify_run
from shapley_coop.extensions.rl import SPLITS, WEIGHTS, Episode, Negotiation, episodes, score
from shapley_coop.extensions.rl.dataset import episode
from shapley_coop.extensions.trials.attacks.seat import ScriptedChatModel
from shapley_coop.seats.awaited import AnsweringChatModel
from shapley_coop.state.storage.home import home
from tests.root import ROOT

PAGE = (ROOT / "docs" / "rl.md").read_text(encoding="utf-8")
ROOM = episode("escape_room", 1)


class Listener(AnsweringChatModel):
    """A language model that keeps the messages it gets; its answers are an embedded agent's."""

    inner: Any
    heard: list[Any] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "listener"

    def answer(self, messages: Any) -> AIMessage:
        self.heard.append(convert_to_openai_messages(messages))
        return AIMessage(self.inner.invoke(messages).text)


async def test_letters_are_exactly_the_messages_that_a_model_at_the_seat_gets() -> None:
    model = character("rational", ROOM)
    environment, shown = Negotiation(), []
    seen = await environment.reset(ROOM)
    while not seen.done:
        shown.append(seen.messages)
        seen = await environment.step(await answer(model, seen))
    listener = Listener(inner=model)
    await play(
        ROOM.workflow, game=ROOM.game, seed=ROOM.seed, seats={**ROOM.others, ROOM.agent: listener}
    )
    assert shown == listener.heard
    assert len(shown) >= 3


def unpayable(asked: Any) -> str:
    """Offer first what nobody can read, then what nobody can pay, then nothing."""
    other = asked.others[0]
    pay = {"kind": "pay", "payer": other, "payee": asked.me, "amount": "1000000"}
    offers = ["<PROPOSAL>{</PROPOSAL>", f"<PROPOSAL>{json.dumps({'clauses': [pay]})}</PROPOSAL>"]
    return "<s>Well.</s>" + (offers[asked.attempt - 1] if asked.attempt <= len(offers) else "")


async def test_the_rewards_of_answers_sum_to_the_weighted_parts_of_the_record() -> None:
    room = Episode("escape_room", 0, "Alice", ROOM.others, "negotiation_priced")
    model = ScriptedChatModel(script={"propose": unpayable}, agent="Alice")
    environment = Negotiation()
    seen = await environment.reset(room)
    rewards = []
    while not seen.done:
        seen = await environment.step(await answer(model, seen))
        rewards.append(seen.reward)
    assert rewards[:2] == [-WEIGHTS["validity"], -WEIGHTS["validity"] - WEIGHTS["payability"]]
    assert seen.score is not None
    assert seen.score.parts["validity"] <= -2
    assert seen.score.parts["payability"] == -1
    assert sum(rewards) == pytest.approx(seen.score.total)
    assert score(seen.run, "Alice") == seen.score
    assert all(check.sound for check in await verify_run(seen.run))


async def test_a_gain_is_a_part_of_what_the_best_plan_adds_to_all_baselines() -> None:
    end = await played(ROOM, character("rational", ROOM))
    assert end.score is not None
    result = home().run(end.run).result
    assert result is not None
    assert (end.score.payoff, end.score.baseline) == (result["payoffs"][ROOM.agent], 0)
    assert end.score.bound == 9  # the prize of 10 less the lever's cost of 1
    assert end.score.parts["gain"] == end.score.payoff / 9


async def test_a_breach_costs_more_than_it_can_gain() -> None:
    dilemma = episode("prisoners_dilemma", 1)
    kept, broken = [await played(dilemma, character(c, dilemma)) for c in ("rational", "defector")]
    assert kept.score
    assert broken.score
    assert kept.score.parts["breaches"] == 0 > broken.score.parts["breaches"]
    assert kept.score.total > 0 > broken.score.total


def test_no_game_and_no_seed_is_in_both_parts_of_the_data_set() -> None:
    train, held_out = SPLITS["train"], SPLITS["eval"]
    assert not {*train.games} & {*held_out.games}
    assert not {*train.seeds} & {*held_out.seeds}
    assert len(episodes("train")) == len(train.games) * len(train.seeds)
    drawn = {(e.game, e.agent, e.others["*"]) for e in episodes("eval")}
    assert len(drawn) > 2 * len(held_out.games)
    with pytest.raises(ValueError, match="'test' is no part of the data set: choose train, eval"):
        episodes("test")


async def test_what_cannot_be_rewarded_or_answered_is_refused() -> None:
    environment = Negotiation()
    with pytest.raises(ValueError, match="rewards need a game whose best total is known"):
        await environment.reset(Episode("raid_battle", 0, "Mage", ROOM.others))
    with pytest.raises(RuntimeError, match="no letter is open: call reset"):
        await environment.step("<s>Hello?</s>")
    seen = await environment.reset(ROOM)
    with pytest.raises(ValueError, match="has not ended"):
        score(seen.run, ROOM.agent)
    await environment.close()
    with pytest.raises(RuntimeError, match="no letter is open"):
        await environment.step("<s>Hello?</s>")


KILLED = """
import asyncio, os
from extensions.rl.tests.scripted_learners import answer, character
from extensions.rl.tests.test_rl import ROOM
from shapley_coop.extensions.rl import Negotiation

async def begin():
    environment = Negotiation()
    seen = await environment.reset(ROOM, "killed")
    for _ in range(2):
        seen = await environment.step(await answer(character("rational", ROOM), seen))
    print(seen.messages[-1]["content"], flush=True)
    os._exit(9)

asyncio.run(begin())
"""


async def test_a_killed_episode_goes_on_at_the_open_letter() -> None:
    model = character("rational", ROOM)
    command = [sys.executable, "-c", KILLED]
    done = await asyncio.to_thread(
        subprocess.run, command, cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 9, done.stderr
    environment = Negotiation()
    seen = await environment.reset(ROOM, "killed")
    assert seen.messages[-1]["content"] == done.stdout.removesuffix("\n")
    while not seen.done:
        seen = await environment.step(await answer(model, seen))
    whole = await played(ROOM, model)
    assert seen.score == whole.score
    assert (await environment.reset(ROOM, "killed")).score == whole.score
    result = home().run("killed").result
    assert result is not None
    letters = [entry.letter for entry in home().journal.entries(result["episode"])]
    assert len(letters) == len({*letters})
    assert all(check.sound for check in await verify_run("killed"))


def test_the_page_s_example_runs_as_printed(capsys: pytest.CaptureFixture[str]) -> None:
    example = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
    exec(compile(example, "docs/rl.md", "exec"), {"__name__": "example"})
    parts = capsys.readouterr().out
    assert all(part in parts for part in WEIGHTS)
    for part, weight in WEIGHTS.items():
        assert f"| `{part}` | {weight} |" in PAGE
