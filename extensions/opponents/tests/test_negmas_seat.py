"""Negotiators of NegMAS come to the same at our table as in NegMAS's own alternating offers."""

from typing import Any

import pytest

from shapley_coop.evals.verifying import verify_run
from shapley_coop.extensions.opponents.negmas_seat import SHIPPED, Negotiator
from shapley_coop.graphs.running import play
from shapley_coop.seats.seat import SeatError
from shapley_coop.state.run_config import RunConfig

negmas = pytest.importorskip("negmas", reason="its library is an extra")
sao = pytest.importorskip("negmas.sao")

SEAT = "python:shapley_coop.extensions.opponents.negmas_seat:"
ROUNDS = 20
PAIRS = [("boulware", "conceder"), ("conceder", "boulware"), ("linear", "tit_for_tat")]


def room(**seats: str) -> RunConfig:
    """A dilemma of which ten turns are worth twenty more to two who cooperate."""
    named = {agent: f"{SEAT}{name}" if name in SHIPPED else name for agent, name in seats.items()}
    given = {"game": "prisoners_dilemma", "rounds": ROUNDS, "tries": 1, "seats": named}
    return RunConfig.model_validate(given)


def agreed_there(first: str, second: str) -> int | None:
    """The part of the first that NegMAS's own mechanism comes to."""
    issues = [negmas.make_issue((0, 100), "part")]
    mechanism = sao.SAOMechanism(issues=issues, n_steps=ROUNDS // 2 + 1)
    for at, name in enumerate((first, second)):
        worth = negmas.preferences.MappingUtilityFunction(
            lambda outcome, at=at: abs(100 * at - outcome[0]) / 100,
            issues=issues,
            reserved_value=0.0,
        )
        kind: Any = SHIPPED[name].kind
        mechanism.add(getattr(sao, kind)(), ufun=worth)
    found = mechanism.run().agreement
    return found and int(found[0])


@pytest.mark.parametrize(("first", "second"), PAIRS)
async def test_two_of_them_come_to_negmas_own_agreement(first: str, second: str) -> None:
    outcome = await play("negotiation_priced", room(Alice=first, Bob=second))
    part = agreed_there(first, second)
    assert part is not None
    assert outcome["status"] == "agreed"
    assert outcome["payoffs"] == pytest.approx({"Alice": part / 5, "Bob": 20 - part / 5})
    assert all(check.sound for check in await verify_run(outcome["run"]))


async def test_one_of_them_bargains_with_an_agent_that_knows_other_deals() -> None:
    outcome = await play("negotiation_priced", room(Alice="conceder", Bob="embedded:greedy"))
    assert outcome["status"] == "agreed"
    assert sum(outcome["payoffs"].values()) == 20


async def test_a_game_of_three_is_refused() -> None:
    room = RunConfig.model_validate({"game": "volunteers", "seats": {"*": f"{SEAT}linear"}})
    with pytest.raises(SeatError, match="raised ValueError"):
        await play("negotiation_priced", room)


def test_a_negotiator_can_be_a_class_of_ones_own() -> None:
    class Stubborn(sao.BoulwareTBNegotiator):
        pass

    assert isinstance(Negotiator(Stubborn)._made(), Stubborn)
