"""Whatever agents write: what is delivered of it, when a turn is over, and what is checked."""

import json
from random import Random

import pytest

from extensions.exchange.tests.exchanging import (
    ACCEPT,
    BOTH,
    REJECT,
    TASKS,
    UNCHECKED,
    counted,
    run,
    turns,
)
from shapley_coop.extensions.exchange.domain.masks import full
from shapley_coop.extensions.exchange.messages.checking import check_message
from shapley_coop.extensions.exchange.messages.written import as_written
from tests.scripted import Script, facts

SAYS = TASKS.registry.describe


def message(rng: Random) -> str:
    """Something that agents write: sound as often as not, or wrong in one of many ways."""
    alice = rng.randrange(1, full(6))
    bob = full(6) ^ alice if rng.random() < 0.6 else rng.randrange(full(6) + 1)
    listed = {"Alice": [SAYS(alice)], "Bob": [SAYS(bob)]}
    if rng.random() < 0.1:
        listed["Bob"].append(SAYS(1))
    text = f"<PROPOSAL>{json.dumps(listed)}</PROPOSAL>"
    text = rng.choice([text] * 8 + [text[:-5], text[10:], text.replace(".", "!")])
    answer = rng.choice(["", "", REJECT, REJECT, REJECT, ACCEPT])
    alone = rng.choice([ACCEPT, "I think so.", "<CONSIDER>a plan</CONSIDER>"])
    return alone if rng.random() < 0.2 else f"<CONSIDER>canary</CONSIDER>{answer}{text}"


@pytest.fixture
def wrote(script: Script, seed: int) -> dict[str, list[str]]:
    """What everybody would write, one message after the other, more than a run can take."""
    rng = Random(seed)
    lines = {agent: [message(rng) for _ in range(60)] for agent in TASKS.agents}
    for agent, own in lines.items():
        script[agent, "exchange"] = list(own)
    return lines


@pytest.mark.parametrize("seed", range(5))
async def test_with_the_validator_nothing_invalid_is_delivered_and_retries_take_no_turn(
    script: Script, wrote: dict[str, list[str]], seed: int
) -> None:
    table = await run(BOTH)
    pending, asked = None, dict.fromkeys(TASKS.agents, 0)
    for said in table["talk"]:
        if said["act"] == "pass":
            continue
        before = pending["masks"] if pending and pending["by"] != said["by"] else None
        verdict = check_message(said["text"], TASKS, said["by"], before)
        assert (verdict.label, verdict.act) == (None, said["act"])
        assert "canary" not in said["text"]
        if verdict.act != "accept":
            pending = {"by": said["by"], "masks": verdict.masks}
        asked[said["by"]] += 1
    assert [turn for turn, *_ in turns(table)] == list(range(2, 2 + len(table["talk"])))
    for agent in TASKS.agents:
        letters = [facts(letter) for letter in script.shown_to(agent, "exchange")]
        assert len(letters) == asked[agent] + sum(counted(table, agent).values())
        assert max((sum(f["turn"] == t for f in letters) for t in range(2, 11)), default=0) <= 5
    gave_up = any(said["act"] == "pass" for said in table["talk"])
    assert (table["status"] == "error") == gave_up


@pytest.mark.parametrize("seed", range(5))
async def test_without_it_every_message_goes_as_written_and_the_last_is_checked_once(
    script: Script, wrote: dict[str, list[str]], seed: int
) -> None:
    table = await run(UNCHECKED)
    for agent, own in wrote.items():
        heard = [said["text"] for said in table["talk"] if said["by"] == agent]
        assert heard == [as_written(text) for text in own[: len(heard)]]
        assert len(script.shown_to(agent, "exchange")) == len(heard)
    found = {label: n for agent in TASKS.agents for label, n in counted(table, agent).items()}
    label, put = None, [said for said in table["talk"] if "puts" in said]
    last = table["talk"][-1]
    if put and last["act"] == "accept" and last["by"] != put[-1]["by"]:
        label = check_message(put[-1]["text"], TASKS, put[-1]["by"]).label
    assert found == ({label: 1} if label else {})
    assert (table["status"] == "error") == bool(label)
