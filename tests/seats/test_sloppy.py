"""Endpoints that answer as small models do: a plain answer is understood, whatever its form."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from shapley_coop.graphs import names
from shapley_coop.graphs.running import play
from shapley_coop.seats.clients import clients
from shapley_coop.state.run_config import RunConfig
from tests.embedded_reply import in_form, reply
from tests.seats.manners import MANNERS, RATE, Manner, Sloppy
from tests.stub_openai import StubOpenAI

PLAIN = [
    manner
    for manner in MANNERS
    if not manner.guess and (manner.clauses or manner.notation or manner.words)
]
GUESSED = [manner for manner in MANNERS if manner.guess]
IN_FORM = [
    manner for manner in MANNERS if manner.clauses or manner.notation or manner.value or manner.form
]


GAMES = {"contracts": "prisoners_dilemma", "task_exchange": "task_exchange"}
"""Workflow → its game, for the workflows that do not play the escape room."""


@pytest.fixture(autouse=True)
def sound_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """No faults of embedded agents mix with the endpoint's, which reads the letters' facts."""
    monkeypatch.setattr("shapley_coop.seats.embedded.chat._spoil", lambda text, _: text)
    monkeypatch.setenv("COOP_SEND_FACTS", "1")


async def played(
    graph: str,
    way: str,
    seeds: int = 1,
    manners: Sequence[Manner] = MANNERS,
    rate: float = RATE,
) -> Counter[str]:
    """Count answers, spoilt and refused ones, deals and failures of a workflow's runs."""
    found = Counter[str]()
    game = GAMES.get(graph, "escape_room")
    for seed in range(seeds):
        sloppy = Sloppy(reply, in_form, manners, rate)
        with StubOpenAI(sloppy.say, manner=sloppy.spoil) as stub:
            # Each agent has another model, whose name seeds its faults.
            how = {"base_url": stub.base_url, "answers": way}
            seats: Any = {
                agent: {"model": f"openai:{agent}-{seed}", **how} for agent in ("Alice", "Bob")
            }
            async with clients():
                outcome = await play(graph, RunConfig(game=game, seed=seed, seats=seats))
        counts = [count for phase in outcome["spending"].values() for count in phase.values()]
        found["answers"] += sloppy.answers
        found["spoilt"] += sloppy.spoilt
        found["refused"] += sum(count["refused"] for count in counts)
        found["deals"] += outcome["contract"] is not None
        found["failed"] += outcome["status"] == "error"
    return found


async def refused(manner: Manner, way: str) -> int:
    """Refusals where every answer is spoilt in one way, in the workflow with most kinds of them."""
    found = await played("short_term", way, manners=[manner], rate=1)
    assert found["spoilt"]
    return found["refused"]


@pytest.mark.slow
@pytest.mark.parametrize("manner", PLAIN, ids=lambda manner: manner.name)
async def test_no_kind_alone_is_refused_in_text(manner: Manner) -> None:
    assert await refused(manner, "text") == 0


@pytest.mark.slow
@pytest.mark.parametrize("way", ["schema", "tools"])
@pytest.mark.parametrize("manner", IN_FORM, ids=lambda manner: manner.name)
async def test_no_kind_alone_is_refused_by_schema_or_call(manner: Manner, way: str) -> None:
    found = await played("short_term", way, manners=[manner], rate=1)
    assert found["refused"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("manner", GUESSED, ids=lambda manner: manner.name)
async def test_what_needs_a_guess_is_asked_back(manner: Manner) -> None:
    assert await refused(manner, "text") > 0


@pytest.mark.slow
@pytest.mark.parametrize("way", ["text", "schema", "tools"])
async def test_with_all_thirty_hardly_an_answer_is_refused_and_deals_are_as_without(
    way: str,
) -> None:
    played_by = ("short_term", "shapley_coop", "contracts", "task_exchange")
    for graph in (name for name in played_by if name in names()):
        sound = await played(graph, way, seeds=2, rate=0)
        spoilt = await played(graph, way, seeds=2)
        assert sound["refused"] == sound["spoilt"] == 0
        assert spoilt["spoilt"] > spoilt["answers"] / 4
        assert spoilt["refused"] <= (0.15 if way == "text" else 0.05) * spoilt["answers"]
        assert (spoilt["deals"], spoilt["failed"]) == (sound["deals"], 0)
