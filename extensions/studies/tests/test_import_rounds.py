"""Recorded rounds of any game are replayed by its own rules, and differences have their line."""

import json
import re
from fractions import Fraction

import pytest
import yaml

from shapley_coop.extensions.studies.rounds import read_rounds
from shapley_coop.extensions.studies.rounds_replay import Match
from shapley_coop.games import load
from tests.brought import brought_by
from tests.chance import dice
from tests.root import ROOT

PAGE = (ROOT / "docs" / "rounds.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL))
HEAD = "match,round,agent,action,points\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder with the files of the page, in which commands run."""
    (tmp_path / "rounds.csv").write_text(BLOCKS["csv"], encoding="utf-8")
    (tmp_path / "promise.yaml").write_text(BLOCKS["yaml"], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_pages_command_prints_what_the_page_says(coop, folder):
    done = coop(*BLOCKS["sh"].split()[1:])
    assert done.code == 1
    assert done.out.endswith(BLOCKS["text"])


def test_sums_are_of_all_rounds_and_credit_is_of_the_matches_that_agree(coop, folder):
    told = json.loads(coop(*BLOCKS["sh"].split()[1:], "--json").out)
    assert told["agents"]["Bob"] == {
        "recorded": "9",
        "ours": "10",
        "baseline": "6",  # two rounds in which both hunt hares
        "credit": "1",  # v(A) = 6 - 12, v(B) = 9 - 12, v(AB) = 11 - 12
    }
    assert (told["credited"], told["agreeing"], told["matches"]) == (1, 1, 2)
    assert told["differences"][0]["where"] == "rounds.csv:7"


def test_the_same_rows_as_json_lines_in_another_order_give_the_same(coop, folder):
    names, *cells = [line.split(",") for line in BLOCKS["csv"].splitlines()]
    rows = [dict(zip(names, row, strict=True)) for row in reversed(cells)]
    lines = [json.dumps({**row, "round": int(row["round"]), "note": "x"}) for row in rows]
    (folder / "rounds.jsonl").write_text("\n\n".join(lines), encoding="utf-8")
    both = [
        json.loads(coop("import", "rounds", name, "--game", "stag_hunt", "--json").out)
        for name in ("rounds.csv", "rounds.jsonl")
    ]
    assert both[0]["agents"] == both[1]["agents"]
    assert both[1]["differences"][0]["where"] == "rounds.jsonl:1"


@pytest.mark.parametrize("seed", range(20))
def test_every_point_that_is_altered_is_a_difference_and_no_other(tmp_path, seed):
    drawn = dice(f"rounds {seed}")
    acts = {"Ann": ["a", "b"], "Ben": ["c", "d", "e"]}
    plays = [(one, other) for one in acts["Ann"] for other in acts["Ben"]]
    pays = {play: [drawn.randint(-9, 9), drawn.randint(-9, 9)] for play in plays}
    cells = [{"play": list(play), "pays": paid} for play, paid in pays.items()]
    game = {"name": "g", "agents": [*acts], "actions": acts, "payoffs": cells, "rounds": 5}
    lines, wrong = list[str](), list[str]()
    for match in "xy":
        for number in range(1, 6):
            play = drawn.choice(plays)
            for agent, act, paid in zip(acts, play, pays[play], strict=True):
                off = Fraction(drawn.randint(1, 9), 3) if drawn.random() < 0.2 else 0
                lines.append(f"{match},{number},{agent},{act},{paid + off}")
                if off:
                    wrong.append(f"rounds.csv:{len(lines) + 1}")
    file = tmp_path / "rounds.csv"
    file.write_text(HEAD + "\n".join(lines), encoding="utf-8")
    world = load(game)
    found = [Match(world, rounds) for rounds in read_rounds(file, world).values()]
    told = [one.row.where for match in found for one in match.differences]
    assert told == [f"{tmp_path}/{where}" for where in wrong]


def test_points_are_after_the_contracts_payments_and_a_teams_reward(coop, folder):
    clause = {"kind": "pay", "payer": "Bob", "payee": "Alice", "amount": 2, "basis": "turn"}
    fine = {**clause, "when": {"last": {"agent": "Bob", "action": "hare"}}}
    (folder / "fine.yaml").write_text(yaml.safe_dump({"clauses": [fine]}), encoding="utf-8")
    rows = HEAD + ",1,Alice,stag,2\n,1,Bob,hare,1\n"
    (folder / "rounds.csv").write_text(rows, encoding="utf-8")
    command = ("import", "rounds", "rounds.csv", "--game", "stag_hunt")
    assert coop(*command, "--contract", "fine.yaml").code == 0
    without = coop(*command)
    assert without.code == 1
    assert "2 of 2" not in without.out
    assert "Alice's points: recorded 2, ours 0" in without.out


def test_dice_are_those_of_the_seed_and_an_action_that_is_not_legal_is_told(coop, folder):
    rows = [(n, hero, "Taunt") for n in (1, 2) for hero in ("Hero1", "Hero2")]
    text = "".join(f",{n},{hero},{act},\n" for n, hero, act in rows)
    (folder / "raid.csv").write_text(HEAD + text, encoding="utf-8")
    done = coop("import", "rounds", "raid.csv", "-g", "raid_battle", "--seed", "3", "--json")
    (told,) = json.loads(done.out)["differences"]
    assert (told["round"], told["what"]) == (2, "Hero1's action")
    assert told["ours"] == "not possible, only Fireball, Heal"


def test_a_round_after_the_end_of_the_game_is_a_difference(coop, folder):
    rows = "".join(f",{n},Alice,lever,\n,{n},Bob,door,\n" for n in (1, 2))
    (folder / "rounds.csv").write_text(HEAD + rows, encoding="utf-8")
    done = coop("import", "rounds", "rounds.csv", "--game", "escape_room")
    assert done.code == 1
    assert "rounds.csv:4: round 2: the round: recorded played, ours the game is over" in done.out


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (",1,Alice,stag,x", ":2: points: it is 'x': a finite number"),
        (",x,Alice,stag,1", ":2: round: it has to be a whole number"),
        (",0,Alice,stag,1", ":2: round: it has to be greater than or equal to 1"),
        (",2,Alice,stag,1", ":2: round 2, but there is no round 1"),
        (",1,Alic,stag,1", ":2: no agent 'Alic': there are Alice, Bob; did you mean 'Alice'?"),
        (",1,,stag,1", ":2: agent: it is missing"),
        (",1,Alice,stagg,1", ":2: no action of Alice 'stagg': there are stag, hare"),
        (",1,Alice,stag", ":2: has more or fewer cells than line 1"),
        (",1,Alice,stag,1,2", ":2: has more or fewer cells than line 1"),
        (",1,Alice,stag,1\n,1,Alice,hare,1", ":3: Alice has a row for round 1 already, at "),
        ('"', ":2: is not CSV: "),
        ("", ": has no rows"),
    ],
)
def test_a_row_that_cannot_be_read_is_exit_code_2_with_its_line(coop, folder, line, told):
    (folder / "rounds.csv").write_text(HEAD + line, encoding="utf-8")
    done = coop("import", "rounds", "rounds.csv", "--game", "stag_hunt")
    assert (done.code, done.out) == (2, "")
    assert f"rounds.csv{told}" in done.err
    assert len(done.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "is not JSON"),
        ("[1]", "is not an object with match, round"),
        ('{"agent": "Bob", "points": true}', "points: it is True: a number is needed"),
        ('{"agent": "Bob", "points": [1]}', "points: it is [1]: a number is needed"),
        ('{"agent": "Bob", "points": NaN}', "is not JSON"),
        ('{"agent": "Bob", "action": ["stag"]}', "action: it has to be text"),
    ],
)
def test_a_line_of_json_that_is_no_row_is_exit_code_2_with_its_line(coop, folder, line, told):
    (folder / "rounds.jsonl").write_text(f'{{"agent": "Alice"}}\n{line}', encoding="utf-8")
    done = coop("import", "rounds", "rounds.jsonl", "--game", "stag_hunt")
    assert done.code == 2
    assert f"rounds.jsonl:2: {told}" in done.err


def test_a_file_without_the_columns_and_a_contract_of_others_are_refused(coop, folder):
    (folder / "other.csv").write_text("a;b\n1;2\n", encoding="utf-8")
    done = coop("import", "rounds", "other.csv", "--game", "stag_hunt")
    assert done.code == 2
    assert "other.csv:1: has no column action" in done.err
    done = coop("import", "rounds", "rounds.csv", "-g", "escape_room", "--contract", "promise.yaml")
    assert done.code == 2


@brought_by("markets")
def test_goods_that_the_contract_gives_are_handed_over_in_their_round(coop, folder):
    owns = {"Ann": {"tea": 2}, "Ben": {"tea": 0}}
    traders = {a: {"holds": own, "worth": {"tea": 3}, "purse": 9} for a, own in owns.items()}
    market = {"name": "tea", "agents": traders}
    (folder / "market.json").write_text(json.dumps(market), encoding="utf-8")
    give = {"kind": "give", "giver": "Ann", "receiver": "Ben", "good": "tea", "quantity": 1}
    pay = {"kind": "pay", "payer": "Ben", "payee": "Ann", "amount": 2}
    (folder / "deal.yaml").write_text(yaml.safe_dump({"clauses": [give, pay]}), encoding="utf-8")
    (folder / "rounds.csv").write_text(
        "agent,action,points\nAnn,keep,5\nBen,keep,1\n", encoding="utf-8"
    )
    command = ("import", "rounds", "rounds.csv", "-g", "trade", "--set", "market=market.json")
    assert coop(*command, "--contract", "deal.yaml").code == 0
    assert "Ann's points: recorded 5, ours 6" in coop(*command).out
