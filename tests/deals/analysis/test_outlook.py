"""What an offer would pay: each row against a play, a table or brute force, and who may see it."""

from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import yaml

from shapley_coop.deals.analysis.outlook import Prospect, outlook
from shapley_coop.deals.analysis.outlook_rows import average
from shapley_coop.deals.contract import sign
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.clauses import Do, Forbid, Pay, Share
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.deals.language.when import All, Event, Last, Turns
from shapley_coop.games import Game, load
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.outlook import norm_payoffs
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.settings import game_of
from tests.chance import dice
from tests.root import ROOT

LEVER_FOR_FIVE = Deal(
    clauses=[
        Do(agent="Alice", action="door"),
        Do(agent="Bob", action="lever"),
        Pay(
            payer="Alice",
            payee="Bob",
            amount=5,
            when=All(
                all=[
                    Last(last=Event(agent="Bob", action="lever")),
                    Last(last=Event(agent="Alice", action="door")),
                ]
            ),
        ),
    ]
)


def test_rows_and_norm_foresee_the_same_play() -> None:
    """Bob, asked for nothing, follows Alice's promise of the stag in both."""
    game = load("stag_hunt", {"rounds": 1})
    deal = Deal(clauses=[Do(agent="Alice", action="stag")])
    found = before_play(game, deal, norm_payoffs=norm_payoffs, norms=("shapley",))
    assert found.by_norm == found.rows[0].payoffs


def before_play(game, deal, **more):
    return outlook(Prospect(game, game.start(), [], None, deal, **more))


def cases(found):
    """(case, what is done) → agent → mean."""
    return {
        (row["if"], row["by"]): {a: x["mean"] for a, x in row["payoffs"].items()}
        for row in found.record()["rows"]
    }


def a_table(game="escape_room", record=(), contract=None, **config):
    """A table before or during play, as a node is handed it."""
    settings = RunConfig(game=game, **config).resolve().model_dump(mode="json")
    evaluated = EvaluatedTable({"episode": f"{game}{config}", "settings": settings})
    position = evaluated.game.start()
    for after in evaluated.game.analysis.replay(record):
        position = after.position
    table = {"episode": f"{game}{config}", "settings": settings, "position": position}
    return EvaluatedTable({**table, "record": list(record), "contract": contract})


def test_the_answerer_of_escape_room_reads_what_each_case_pays():
    found = before_play(load("escape_room"), LEVER_FOR_FIVE)
    assert found.exact
    assert found.plays == 0
    assert cases(found) == {
        ("all keep it", ""): {"Alice": "5", "Bob": "4"},
        ("Alice breaks it", "lever"): {"Alice": "-1", "Bob": "-1"},
        ("Bob breaks it", "door"): {"Alice": "-1", "Bob": "-1"},
        ("no deal", "what each can be sure of"): {"Alice": "-1", "Bob": "-1"},
    }


def test_what_free_agents_do_is_assumed_only_where_a_deal_leaves_an_action_open():
    room, lever = load("escape_room"), Do(agent="Bob", action="lever")
    assert before_play(room, LEVER_FOR_FIVE).assumes == ""
    assert before_play(room, Deal(clauses=[Do(agent="everyone", action="door")])).assumes == ""
    open_to_alice = before_play(room, Deal(clauses=[lever])).assumes
    assert open_to_alice.startswith("who is asked for nothing")
    if_ever = Do(agent="Alice", action="door", when=Last(last=Event(agent="Bob", action="lever")))
    assert before_play(room, Deal(clauses=[lever, if_ever])).assumes == open_to_alice


def test_the_norm_is_shown_beside_where_it_is_on_offer():
    room = load("escape_room")
    found = before_play(room, LEVER_FOR_FIVE, norms=("shapley",), norm_payoffs=norm_payoffs)
    told = {"Alice": {"mean": "4.5"}, "Bob": {"mean": "4.5"}}
    assert found.record()["norm"] == {"name": "shapley", "payoffs": told}
    assert "norm" not in before_play(room, LEVER_FOR_FIVE).record()


def test_a_split_by_a_norm_is_computed_from_the_play_that_the_offer_asks_for():
    room = load("escape_room")
    deal = Deal(clauses=[*LEVER_FOR_FIVE.clauses[:2], Share(norm="shapley")])
    found = cases(before_play(room, deal, norm_payoffs=norm_payoffs))
    assert found["all keep it", ""] == {"Alice": "4.5", "Bob": "4.5"}
    assert found["Bob breaks it", "door"] == {"Alice": "-1", "Bob": "-1"}


def test_a_declared_baseline_is_played_and_an_undeclared_one_is_not():
    goods = load("public_goods", {"rounds": 2})
    deal = Deal(clauses=[Do(agent=a, action="give") for a in goods.agents])
    baseline = cases(before_play(goods, deal))["no deal", "everybody plays keep"]
    assert baseline == dict.fromkeys(goods.agents, "40")
    without = [row.by for row in before_play(load("escape_room"), LEVER_FOR_FIVE).rows]
    assert not any("everybody" in by for by in without)


def test_the_best_breach_is_the_best_of_all_that_brute_force_finds():
    """Random two-agent games of two turns: every plan that breaks the promise somewhere."""
    rng: Random = dice("outlook breaches")
    for _ in range(30):
        cells = [[rng.randint(-5, 9), rng.randint(-5, 9)] for _ in range(4)]
        plays = [list(play) for play in product("ab", repeat=2)]
        table = {
            "name": "any",
            "agents": ["Ann", "Ben"],
            "actions": {"Ann": ["a", "b"], "Ben": ["a", "b"]},
            "payoffs": [{"play": p, "pays": x} for p, x in zip(plays, cells, strict=True)],
            "rounds": 2,
        }
        game = load(table)
        fine = rng.randint(0, 6)
        deal = Deal(
            clauses=[
                Do(agent="Ann", action="a"),
                Do(agent="Ben", action="a"),
                *(
                    Pay(
                        payer="Ann",
                        payee="Ben",
                        amount=fine,
                        basis="turn",
                        when=Last(last=Event(agent="Ann", action="b")),
                    )
                    for _ in range(fine > 0)
                ),
            ]
        )
        pays = dict(zip(product("ab", repeat=2), cells, strict=True))
        best = max(
            sum(pays[act, "a"][0] - fine * (act == "b") for act in plan)
            for plan in product("ab", repeat=2)
            if "b" in plan
        )
        row = next(r for r in before_play(game, deal).rows if r.who == "Ann")
        assert row.payoffs["Ann"].mean == best


def test_whoever_is_asked_for_nothing_breaks_nothing():
    deal = Deal(clauses=[Forbid(agent="Bob", action="door")])
    found = before_play(load("escape_room"), deal)
    assert [row.who for row in found.rows if row.who] == ["Bob"]


def test_a_notional_contract_pays_nothing():
    terms = Enforcement("notional")
    kept = before_play(load("escape_room"), LEVER_FOR_FIVE, enforcement=terms).rows[0]
    assert {agent: x.mean for agent, x in kept.payoffs.items()} == {"Alice": 10, "Bob": -1}


def test_in_escrow_a_breach_costs_the_deposit():
    dilemma = load("prisoners_dilemma", {"rounds": 1})
    deal = Deal(clauses=[Do(agent=a, action="cooperate") for a in dilemma.agents])
    found = cases(before_play(dilemma, deal, enforcement=Enforcement("escrow", Fraction(4))))
    assert found["Alice breaks it", "defect"] == {"Alice": "-2", "Bob": "3"}
    auto = cases(before_play(dilemma, deal, enforcement=Enforcement("escrow")))
    breach = auto["Alice breaks it", "defect"]
    assert int(breach["Alice"]) <= int(auto["all keep it", ""]["Alice"]), "it is sufficient"


def test_an_earlier_breach_has_cost_its_deposit_already():
    dilemma = load("prisoners_dilemma", {"rounds": 2})
    promise = Deal(clauses=[Do(agent=a, action="cooperate") for a in dilemma.agents])
    standing, terms = sign(put(promise, "Alice", 1), 1), Enforcement("escrow", Fraction(4))
    actions = {"Alice": "defect", "Bob": "cooperate"}
    after = dilemma.step(dilemma.start(), actions)
    turn = {"turn": 1, "actions": actions, "rewards": after.rewards}
    found = outlook(Prospect(dilemma, after.position, [turn], standing, promise, terms))
    kept = {agent: x.mean for agent, x in found.rows[0].payoffs.items()}
    assert kept == {"Alice": 2 - 4 + 1, "Bob": -1 + 4 + 1}


def test_what_was_earned_and_paid_already_counts():
    dilemma = load("prisoners_dilemma", {"rounds": 2})
    fee = Pay(payer="Alice", payee="Bob", amount=1, when=Turns(turns=(1, 1)))
    standing = sign(put(Deal(clauses=[fee]), "Alice", 1), from_turn=1)
    turn = {"turn": 1, "actions": dict.fromkeys(dilemma.agents, "cooperate")}
    turn["rewards"] = dilemma.step(dilemma.start(), turn["actions"]).rewards
    position = dilemma.step(dilemma.start(), turn["actions"]).position
    deal = Deal(clauses=[Do(agent=a, action="cooperate") for a in dilemma.agents])
    found = outlook(Prospect(dilemma, position, [turn], standing, deal))
    each = 2 * Fraction(turn["rewards"]["Alice"])
    kept = {agent: x.mean for agent, x in found.rows[0].payoffs.items()}
    assert kept == {"Alice": each - 1, "Bob": each + 1}


def test_a_table_of_payoffs_is_built_once_whatever_the_seed(tmp_path: Path) -> None:
    drawn = tmp_path / "drawn.py"
    drawn.write_text(
        "from shapley_coop.games import escape_room\n"
        "class Drawn(escape_room.GAME):\n"
        "    name = 'drawn'\n"
        "GAME = Drawn\n"
    )

    def game(**room: Any) -> Game:
        return game_of(RunConfig(**room).resolve().model_dump(mode="json"))

    assert game(game="escape_room", seed=1) is game(game="escape_room", seed=2)
    for other in ({"absent": "random"}, {"game": str(drawn)}):
        assert game(**other, seed=1) is not game(**other, seed=2), "the seed may decide something"
    assert game(params={"rounds": 2}).turns != game(params={"rounds": 3}).turns


def test_after_the_game_it_says_what_the_offer_pays_and_what_stands():
    turn = {"turn": 1, "actions": {"Alice": "door", "Bob": "lever"}}
    turn["rewards"] = {"Alice": 10, "Bob": -1}
    deal = Deal(clauses=[Pay(payer="Alice", payee="Bob", amount=2)])
    rows = a_table(record=[turn]).outlook(deal)["rows"]
    assert [(row["if"], row["payoffs"]["Bob"]["mean"]) for row in rows] == [
        ("all keep it", "1"),
        ("no deal", "-1"),
    ]


def test_nine_in_ten_plays_lie_within_the_range():
    ends = [({"A": Fraction(k)}, 1) for k in range(100)]
    found = average(ends, exact=False)["A"]
    assert found.record() == {"mean": "49.5", "low": "4", "high": "94"}


def test_suites_that_reproduce_papers_say_that_letters_show_no_outlook():
    suites = [*ROOT.glob("extensions/*/suites/*.yaml"), *ROOT.glob("extensions/*/*.yaml")]
    of_papers = [s for s in suites if "source: " in (text := s.read_text()) and "printed:" in text]
    assert len(of_papers) > 2
    for suite in of_papers:
        base = yaml.safe_load(suite.read_text())["base"]
        given = {name: base[name] for name in base if name in RunConfig.model_fields}
        config = RunConfig.model_validate(given)
        assert (config.outlook, config.tools) == (False, False), suite.name
