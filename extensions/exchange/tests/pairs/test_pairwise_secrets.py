"""Of what agents who meet in pairs think, hold dear or mend, nobody else is told."""

import json
from pathlib import Path

import yaml

from extensions.exchange.tests.domain.test_exchange_privacy import (
    check_no_utility_leaks,
    published,
    with_canaries,
)
from shapley_coop.extensions.exchange.domain import scenario
from tests.proofs import proof_secrets
from tests.scripted import Script

PAIRS = "pairwise_exchange"


async def test_no_utility_reaches_anybody_but_its_owner(script: Script, tmp_path: Path) -> None:
    await check_no_utility_leaks(script, PAIRS, *with_canaries(tmp_path))


async def test_no_value_of_a_task_reaches_anybody_but_its_owner(
    script: Script, tmp_path: Path
) -> None:
    """Of four who meet in pairs: neither whom one meets, nor the other pair, nor the table."""
    names = ("Ann", "Ben", "Cem", "Dan")
    tasks = [f"Do part {i}" for i in range(8)]
    values = {
        agent: {task: (37 * i + 11 * k) % 83 + 0.37 * (k + 1) for i, task in enumerate(tasks)}
        for k, agent in enumerate(names)
    }
    page = {
        "atoms": tasks,
        "initial": {agent: tasks[2 * k : 2 * k + 2] for k, agent in enumerate(names)},
        "values": values,
    }
    path = tmp_path / "values.yaml"
    path.write_text(yaml.safe_dump(page))
    read = scenario(str(path))
    secret = {agent: {str(x) for x in read.values(agent).values() if x} for agent in names}
    before, last = await published(PAIRS, str(path))
    for owner, own in secret.items():
        assert len(own) == 8
        assert not any(own & secret[other] for other in names if other != owner)
        told = " ".join(json.dumps(letter.facts) for letter in script.shown_to(owner, "exchange"))
        assert sum(x in told for x in own) >= 4, "of the tasks of the two who meet"
        for other in set(names) - {owner}:
            for letter in script.shown_to(other):
                assert not [x for x in own if x in letter + json.dumps(letter.facts)]
        for update in before:
            assert not [x for x in own if x in update]
    assert '"rewards"' in last


async def test_who_meets_others_in_pairs_keeps_thoughts_and_refused_drafts_from_all(
    tmp_path: Path,
) -> None:
    """Four agents, each of whom meets two others, and one of whose seats fails in between."""
    tally = proof_secrets.Tally()
    await proof_secrets.played(tmp_path, "pairwise_exchange", 0, tally)
    assert (tally.leaks, tally.missing) == ([], [])
    assert tally.planted["refused"] >= 4
    assert all(tally.places[place] > 1000 for place in ("streams", "states", "letters", "errors"))
