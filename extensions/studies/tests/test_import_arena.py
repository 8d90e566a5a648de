"""A published study of trading models at our table: bad deals stopped, good ones let through."""

import json
from pathlib import Path
from typing import Any

import pytest

from extensions.studies.tests.arena_study import BLUE, DIVISION, RED, SALE, SWAP, game, sale
from shapley_coop.extensions.studies.negotiation_arena import replay_study
from shapley_coop.extensions.studies.negotiation_arena_protection import protection

OFFER, YES = "PROPOSAL", ("ACCEPT", None)


def only(folder: Path) -> Any:
    (found,), unreadable = replay_study(folder)
    assert unreadable == []
    return found


@pytest.mark.parametrize(
    ("price", "loss", "back"),
    [
        (50, "", []),
        (40, "", []),
        (60, "", []),
        (39, f"{RED} loses 1", [(RED, "proposes", "RESERVE")]),
        (61, f"{BLUE} loses 1", [(BLUE, "accepts", "RESERVE")]),
    ],
)
def test_a_sale_is_stopped_exactly_where_one_of_them_loses(
    tmp_path: Path, price: int, loss: str, back: list[Any]
) -> None:
    game(tmp_path / "g", SALE, [(OFFER, sale(price)), YES])
    found = only(tmp_path)
    assert (found.loss, found.stopped) == (loss, bool(loss))
    assert [(x.player, x.act, x.label) for x in found.refused] == back
    assert found.differs == ""


def test_the_others_numbers_are_in_no_refusal(tmp_path: Path) -> None:
    game(tmp_path / "g", SALE, [(OFFER, sale(39)), (OFFER, sale(77)), YES], worths=(44, 71))
    found = only(tmp_path)
    told = {one.player: one.why for one in found.refused}
    assert "44" in told[RED]
    assert "71" not in told[RED]
    assert "44" not in told[BLUE]


def test_a_price_beyond_the_buyers_money_is_stopped(tmp_path: Path) -> None:
    holds = ({"X": 1}, {"ZUP": 45})
    game(tmp_path / "g", SALE, [(OFFER, sale(50)), YES], holds=holds)
    found = only(tmp_path)
    assert found.loss == f"{BLUE} gives 50 ZUP and holds 45"
    assert [(x.player, x.label) for x in found.refused] == [(BLUE, "ABLE")]
    assert found.stopped


def test_what_was_not_agreed_is_no_deal_and_an_offer_asked_back_counts_as_one(
    tmp_path: Path,
) -> None:
    game(tmp_path / "a", SALE, [(OFFER, sale(30)), ("REJECT", None)])
    found = only(tmp_path)
    assert (found.deal, found.loss, found.stopped) == (False, "", False)
    (answer,) = protection([found])
    assert (answer.deals, answer.offers, answer.offers_asked_back) == (0, 1, 1)


@pytest.mark.parametrize(
    ("trade", "stopped"),
    [
        (({"X": 5}, {"Y": 5}), False),
        (({"X": 5}, {"Y": 6}), True),
        (({"X": 26}, {"Y": 26}), True),
        (({"Z": 1}, {"Y": 1}), True),
    ],
)
def test_a_swap_leaves_nobody_with_less_than_it_had(
    tmp_path: Path, trade: Any, stopped: bool
) -> None:
    holds = ({"X": 25, "Y": 5}, {"X": 5, "Y": 25})
    game(tmp_path / "g", SWAP, [("NONE", trade), YES], holds=holds)
    found = only(tmp_path)
    assert (found.bad, found.stopped) == (stopped, stopped)


@pytest.mark.parametrize(("given", "stopped"), [(50, False), (100, False), (101, True)])
def test_a_division_can_give_away_what_there_is_and_no_more(
    tmp_path: Path, given: int, stopped: bool
) -> None:
    holds: Any = ({"Dollars": 100}, {"Dollars": 0})
    game(tmp_path / "g", DIVISION, [("NONE", ({"Dollars": given}, {})), YES], holds=holds)
    found = only(tmp_path)
    assert (found.bad, found.stopped) == (stopped, stopped)


def test_the_command_answers_with_a_table_and_exit_code_0(coop: Any, tmp_path: Path) -> None:
    for n, price in enumerate((39, 50, 61)):
        game(tmp_path / "study" / str(n), SALE, [(OFFER, sale(price)), YES])
    game(tmp_path / "study" / "error", SALE, [(OFFER, sale(45))], ended=False)
    study = str(tmp_path / "study")
    code, out, err = coop("import", "negotiation-arena", study, "-o", "arena.json")
    assert code == 0
    assert "2 of 2" in out
    assert "1 of 1" in out
    assert "Yes: every bad deal is stopped, and no other." in out
    assert "the game did not end" in err
    games = json.loads((tmp_path / "arena.json").read_text())
    assert [one["stopped"] for one in games] == [True, False, True]
    code, out, _ = coop("import", "negotiation-arena", study, "--json")
    told = json.loads(out)
    assert told["kinds"][0]["protected"] is True
    assert told["left_out"] == 1


def test_gains_that_differ_from_the_recorded_ones_are_told_with_exit_code_1(
    coop: Any, tmp_path: Path
) -> None:
    game(tmp_path / "study" / "0", SALE, [(OFFER, sale(50)), YES], outcome=[11, 10])
    code, out, _ = coop("import", "negotiation-arena", str(tmp_path / "study"))
    assert code == 1
    assert "recorded gains 11, 10, ours 10, 10" in " ".join(out.split())


@pytest.mark.parametrize(("price", "turn"), [(10**30, 0), (50, -1), (50, 7)])
def test_a_record_that_says_what_cannot_be_leaves_the_others_to_be_read(
    tmp_path: Path, price: int, turn: int
) -> None:
    game(tmp_path / "sound", SALE, [(OFFER, sale(50)), YES])
    file = game(tmp_path / "hostile", SALE, [(OFFER, sale(price)), YES])
    told = json.loads(file.read_text())
    told["game_state"][1]["turn"] = turn
    file.write_text(json.dumps(told))
    found, unreadable = replay_study(tmp_path)
    assert [Path(one.record.where).parent.name for one in found] == ["sound"]
    assert "hostile" in str(unreadable[0])
    assert "\n" not in str(unreadable[0])


def test_a_folder_without_records_is_refused_in_one_line(coop: Any, tmp_path: Path) -> None:
    code, _, err = coop("import", "negotiation-arena", str(tmp_path))
    assert code == 2
    assert "holds no game_state.json of NegotiationArena" in " ".join(err.split())
    (tmp_path / "game_state.json").write_text("[]")
    code, _, err = coop("import", "negotiation-arena", str(tmp_path))
    assert code == 2
    assert "no game can be read" in " ".join(err.split())
