"""A published study of trading models at our table: bad deals stopped, good ones let through."""

import json
from pathlib import Path
from typing import Any

import pytest

from extensions.studies.tests.arena_study import (
    BLUE,
    DIVISION,
    RED,
    SALE,
    SWAP,
    game,
    sale,
)
from shapley_coop.extensions.studies.negotiation_arena import protection, replay_study
from tests.brought import brought_by

pytestmark = brought_by("markets")  # what it reads is played as `trade`

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
    assert (answer["deals"], answer["offers"], answer["offers_asked_back"]) == (0, 1, 1)


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
    assert (bool(found.loss), found.stopped) == (stopped, stopped)


@pytest.mark.parametrize(("given", "stopped"), [(50, False), (100, False), (101, True)])
def test_a_division_can_give_away_what_there_is_and_no_more(
    tmp_path: Path, given: int, stopped: bool
) -> None:
    holds: Any = ({"Dollars": 100}, {"Dollars": 0})
    game(tmp_path / "g", DIVISION, [("NONE", ({"Dollars": given}, {})), YES], holds=holds)
    found = only(tmp_path)
    assert (bool(found.loss), found.stopped) == (stopped, stopped)


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
    assert "1 left out: the game has not ended" in err
    games = json.loads((tmp_path / "arena.json").read_text())
    assert [one["stopped"] for one in games] == [True, False, True]
    code, out, _ = coop("import", "negotiation-arena", study, "--json")
    told = json.loads(out)
    assert told["kinds"][0]["protected"] is True
    assert [one["why"] for one in told["left_out"]] == ["the game has not ended"]


HOLDS: dict[str, Any] = {
    SALE: ({"X": 1}, {"ZUP": 100}),
    SWAP: ({"X": 25, "Y": 5}, {"X": 5, "Y": 25}),
    DIVISION: ({"Dollars": 100}, {"Dollars": 0}),
}
TRADE: dict[str, Any] = {
    SALE: sale(50),
    SWAP: ({"X": 5}, {"Y": 5}),
    DIVISION: ({"Dollars": 40}, {}),
}


@pytest.mark.parametrize(
    ("kind", "part", "falsified", "told"),
    [
        (SALE, "player_outcome", [11, 10], "recorded 11 ZUP and 10 ZUP, ours 10 ZUP and 10 ZUP"),
        (
            SWAP,
            "player_outcome",
            [{"X": -5, "Y": 6}, {"X": 5, "Y": -5}],
            "outcome: recorded -5 X, 6 Y and 5 X, -5 Y, ours -5 X, 5 Y and 5 X, -5 Y",
        ),
        (
            DIVISION,
            "player_outcome",
            [{"Dollars": 60}, {"Dollars": 41}],
            "outcome: recorded 60 Dollars and 41 Dollars, ours 60 Dollars and 40 Dollars",
        ),
        (
            SALE,
            "final_resources",
            [{"ZUP": 49}, {"X": 1, "ZUP": 50}],
            "held at the end: recorded 49 ZUP and 1 X, 50 ZUP, ours 50 ZUP and 1 X, 50 ZUP",
        ),
        (SWAP, "final_response", "REJECT", "the last answer: recorded REJECT, ours ACCEPT"),
        (DIVISION, "proposed_trade", "NONE", "the trade that stood: recorded none, ours 40"),
        (
            DIVISION,
            "initial_resources",
            [{"Dollars": 100}, {"Dollars": 9}],
            "held at the start: recorded 100 Dollars and 9 Dollars, ours 100 Dollars and nothing",
        ),
    ],
)
def test_a_falsified_outcome_of_any_kind_is_told_with_exit_code_1(
    coop: Any, tmp_path: Path, kind: str, part: str, falsified: Any, told: str
) -> None:
    file = game(tmp_path / "study" / "0", kind, [("NONE", TRADE[kind]), YES], holds=HOLDS[kind])
    assert coop("import", "negotiation-arena", str(tmp_path / "study")).code == 0
    record = json.loads(file.read_text())
    record["game_state"][-1]["summary"][part] = falsified
    file.write_text(json.dumps(record))
    code, out, _ = coop("import", "negotiation-arena", str(tmp_path / "study"))
    assert code == 1
    assert told in " ".join(out.split())
    assert "1 of 1 games end otherwise than the study recorded" in out


def test_a_rejected_division_leaves_the_first_with_all_in_their_record_and_in_ours(
    tmp_path: Path,
) -> None:
    game(
        tmp_path / "g",
        DIVISION,
        [("NONE", TRADE[DIVISION]), ("REJECT", None)],
        holds=HOLDS[DIVISION],
    )
    assert only(tmp_path).differs == ""


@pytest.mark.parametrize("names", [("ClientObject", BLUE), (RED, "ClientObject")])
def test_a_player_of_another_name_keeps_its_side_of_a_trade(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    said = [(OFFER, sale(39)), ("NONE", sale(61)), (OFFER, sale(50)), YES]
    game(tmp_path / "g", SALE, said, names=names)
    found = only(tmp_path)
    assert found.offers == [sale(39), sale(61), sale(50)]
    assert (found.deal, found.loss, found.differs) == (True, "", "")
    assert [(one.player, one.label) for one in found.refused] == [
        (names[0], "RESERVE"),
        (names[1], "RESERVE"),
    ]


def test_a_trade_between_others_than_the_players_is_left_out_and_counted(
    coop: Any, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        game(tmp_path / name, SALE, [(OFFER, sale(50)), YES], names=("Ann", "Ben"))
    game(tmp_path / "sound", SALE, [(OFFER, sale(50)), YES])
    code, _, err = coop("import", "negotiation-arena", str(tmp_path))
    assert code == 0
    why = "2 left out: the sides of a trade, RED, BLUE, are not the players Ann and Ben"
    assert why in " ".join(err.split())


def _falsified(said: list[Any], change: Any) -> Any:
    def write(folder: Path) -> None:
        file = game(folder, SALE, said)
        told = json.loads(file.read_text())
        change(told["game_state"])
        file.write_text(json.dumps(told))

    return write


def _speak(states: Any, n: int, part: str, value: Any) -> None:
    states[n]["player_public_info_dict"][part] = value


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda x: _speak(x, 1, "newly proposed trade", "NONE"), "an acceptance has no proposal"),
        (lambda x: _speak(x, 1, "newly proposed trade", "X for 50"), "it is not a trade: X for 50"),
        (lambda x: x[1]["player_public_info_dict"].pop("newly proposed trade"), "lacks 'newly"),
        (lambda x: x[1].pop("player_public_info_dict"), "lacks 'player_public_info_dict'"),
        (lambda x: _speak(x, 1, "player answer", "ACCEPT"), "an acceptance has no proposal"),
        (lambda x: x.insert(2, x[2]), "an answer follows the acceptance"),
        (lambda x: x[-1]["summary"].pop("player_outcome"), "lacks 'player_outcome'"),
    ],
)
def test_an_answer_that_cannot_be_read_leaves_its_game_out_by_name(
    tmp_path: Path, change: Any, why: str
) -> None:
    game(tmp_path / "sound", SALE, [(OFFER, sale(50)), YES])
    _falsified([(OFFER, sale(50)), YES], change)(tmp_path / "odd")
    found, unreadable = replay_study(tmp_path)
    assert len(found) == 1
    assert why in unreadable[0].why
    assert "odd" in unreadable[0].where


def test_what_is_in_no_count_and_what_is_bad_by_definition_is_said(
    coop: Any, tmp_path: Path
) -> None:
    nothing: Any = ({}, {"Dollars": 0})
    game(tmp_path / "0", DIVISION, [("NONE", nothing), YES], holds=HOLDS[DIVISION])
    words: Any = [("NONE", TRADE[DIVISION]), ("Player BLUE ACCEPT", None)]
    game(tmp_path / "1", DIVISION, words, holds=HOLDS[DIVISION])
    again: Any = [("NONE", TRADE[DIVISION]), ("ACCEPT", ({"Dollars": 99}, {}))]
    game(tmp_path / "2", DIVISION, again, holds=HOLDS[DIVISION])
    game(tmp_path / "3", SWAP, [("NONE", ({"X": 5}, {"Y": 6})), YES], holds=HOLDS[SWAP])
    code, out, _ = coop("import", "negotiation-arena", str(tmp_path))
    assert code == 0
    said = " ".join(out.split())
    for told in (
        "1 offers, 1 of them accepted, give nothing on either side",
        "1 answers accept in other words than ACCEPT (Player BLUE ACCEPT)",
        "1 acceptances bring a trade of their own",
        "every uneven swap is bad by definition",
    ):
        assert told in said
    game(tmp_path / "alone" / "0", SALE, [(OFFER, sale(50)), YES])
    out = coop("import", "negotiation-arena", str(tmp_path / "alone")).out
    assert not any(told in out for told in ("by definition", "other words", "of their own"))


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
    assert "has no game_state.json of NegotiationArena" in " ".join(err.split())
    (tmp_path / "game_state.json").write_text("[]")
    code, _, err = coop("import", "negotiation-arena", str(tmp_path))
    assert code == 2
    assert "no game could be read" in " ".join(err.split())
