"""Trade: what is held is public, what it is worth is each agent's own secret."""

import json
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from langgraph.checkpoint.memory import InMemorySaver

from shapley_coop import RunConfig, play
from shapley_coop.deals import Deal, Fault, put
from shapley_coop.deals.contract import sign
from shapley_coop.games import GameError, load
from shapley_coop.games.trade.game import Trade
from shapley_coop.games.trade.points import welfare
from shapley_coop.graphs import builder, names
from shapley_coop.seats import as_text
from shapley_coop.seats.embedded import CHARACTERS
from shapley_coop.seats.records import Answer
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.playing import Choices, played
from shapley_coop.state.result import result
from shapley_coop.state.storage.checkpoints.serializer import StrictSerializer
from shapley_coop.state.turn import TurnContext
from tests.scripted import Script
from tests.test_ability_to_pay import ANSWER, OFFER
from tests.test_privacy import every_word

GRAPHS = ["llm_only", "negotiation", "negotiation_priced", "shapley_coop", "contracts"]
MODES = ["exchange", "price", "ultimatum", "issues", "options"]
JOB = {
    "issues": {"salary": ["low", "fair", "high"], "start": ["May", "June"]},
    "agents": {
        "Ann": {
            "worth": {"salary": {"low": 50, "fair": 20, "high": 0}, "start": {"May": 5, "June": 9}}
        },
        "Ben": {
            "worth": {
                "salary": {"low": 0, "fair": 31, "high": 40},
                "start": {"May": -2, "June": 3},
            },
            "otherwise": 12,
        },
    },
}
LAMP = {
    "agents": {
        "Sam": {"holds": {"lamp": 1, "rug": 1}, "worth": {"lamp": 40, "rug": 31.415926}},
        "Bea": {"worth": {"lamp": 60, "rug": 27.182818}, "purse": 55},
    }
}


@pytest.fixture
def lamp(tmp_path: Path) -> Path:
    file = tmp_path / "lamp.json"
    file.write_text(json.dumps(LAMP))
    return file


def test_a_run_finds_its_market_from_any_folder(
    lamp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(lamp.parent)
    settings = RunConfig(game="trade", params={"market": "lamp.json"}).resolve()
    monkeypatch.chdir("/")
    assert settings.params == {"market": str(lamp)}
    assert settings.resolve() == settings


def asked(file: Path, asking: Any, **more: Any) -> TurnContext:
    config = RunConfig(game="trade", params={"market": str(file), **more.pop("params", {})})
    settings = config.resolve().model_dump(mode="json")
    table: Any = {"episode": f"trade {file}", "settings": settings, "record": [], "round": 1}
    game = EvaluatedTable(table).game
    table |= {"position": game.start(), "agents": list(game.agents), **more}
    return TurnContext(EvaluatedTable(table), asking, tuple(game.agents))


def sale(price: float, **more: Any) -> list[dict[str, Any]]:
    give = {"kind": "give", "giver": "Sam", "receiver": "Bea", "good": "lamp", "quantity": 1}
    return [give, {"kind": "pay", "payer": "Bea", "payee": "Sam", "amount": price, **more}]


def said(turn: TurnContext, who: str, clauses: list[dict[str, Any]]) -> Any:
    if turn.asking is OFFER:
        text = f"<PROPOSAL>{json.dumps({'clauses': clauses})}</PROPOSAL>"
    else:
        text = "<ACCEPT>"
    return turn.asking.check(turn, who, Answer(text=text))


def offered(file: Path, price: float, by: str = "Sam") -> dict[str, Any]:
    found = said(asked(file, OFFER, params={"protect": False}), by, sale(price))
    assert not isinstance(found, Fault)
    return {"offer": put(Deal.model_validate(found["deal"]), by, 1)}


@pytest.mark.parametrize(("price", "sound"), [(39, False), (40, True), (50, True), (60, True)])
def test_a_sale_below_its_own_cost_goes_back_to_its_author(
    lamp: Path, price: int, sound: bool
) -> None:
    found = said(asked(lamp, OFFER), "Sam", sale(price))
    assert isinstance(found, Fault) is not sound
    if isinstance(found, Fault):
        assert found.label == "RESERVE"
        assert "This leaves you 70.415926, less than your reservation value of" in found.feedback


@pytest.mark.parametrize(("price", "label"), [(55, ""), (56, "ABLE"), (61, "ABLE")])
def test_what_a_buyer_could_not_pay_goes_back_to_it_when_it_signs(
    lamp: Path, price: int, label: str
) -> None:
    found = said(asked(lamp, ANSWER, **offered(lamp, price)), "Bea", [])
    assert (found.label if isinstance(found, Fault) else "") == label
    if label:
        assert found.feedback == (
            f"This could make you pay {price} in all, and you can pay at most 55: pay less."
        )


def test_a_purchase_above_its_worth_goes_back_to_the_buyer(tmp_path: Path) -> None:
    rich = json.loads(json.dumps(LAMP))
    rich["agents"]["Bea"]["purse"] = 500
    file = tmp_path / "rich.json"
    file.write_text(json.dumps(rich))
    for price, sound in ((60, True), (61, False)):
        found = said(asked(file, ANSWER, **offered(file, price)), "Bea", [])
        assert isinstance(found, Fault) is not sound
    found = said(asked(file, OFFER), "Sam", sale(400))
    assert not isinstance(found, Fault), "what another cannot gain is no fault of one's own offer"


def test_who_asks_for_no_protection_signs_what_it_likes(lamp: Path) -> None:
    turn = asked(lamp, OFFER, params={"protect": False})
    assert not isinstance(said(turn, "Sam", sale(1)), Fault)


OWN = {"Sam": ["40.161803"], "Bea": ["27.182818", "55.112358"]}
"""Worths of what they do not have at the end, and a purse."""

AT_THE_END = "71.577729"
"""What Sam would have had without a deal: credit compares with it once the play is over."""

PROOFS = {
    "Sam": {"holds": {"lamp": 1, "rug": 1}, "worth": {"lamp": "40.161803", "rug": "31.415926"}},
    "Bea": {"worth": {"lamp": 60, "rug": "27.182818"}, "purse": "55.112358"},
}


async def test_worths_and_purses_and_what_they_refuse_stay_with_their_owner(
    script: Script, tmp_path: Path
) -> None:
    """Each signs first what leaves it short, and is asked back with its own numbers."""
    file = tmp_path / "secret.json"
    file.write_text(json.dumps({"agents": PROOFS}))
    offers = [
        f"<PROPOSAL>{json.dumps({'clauses': sale(price)})}</PROPOSAL>" for price in (9, 56, 50)
    ]
    script["Sam", "propose"] = offers
    script["Bea", "answer"] = ["<ACCEPT>", "<REJECT>", "<ACCEPT>"]
    script["Bea", "propose"] = "<REJECT>"
    room = RunConfig(game="trade", params={"market": str(file)}, rounds=4)
    app = builder("negotiation_priced").compile(
        checkpointer=InMemorySaver(serde=StrictSerializer())
    )
    given, config = {"room": room.model_dump(mode="json")}, {"configurable": {"thread_id": "t"}}
    modes = ["values", "updates", "custom", "messages", "tasks", "checkpoints", "debug"]
    came = [
        part
        async for part in app.astream(
            given, config, context=RunConfig(), stream_mode=modes, durability="sync"
        )
    ]
    history = [list(snapshot) async for snapshot in app.aget_state_history(config)]
    table = (await app.aget_state(config)).values
    assert table["record"][0]["effects"][0]["quantity"] == 1
    assert {a: float(x) / 1e6 for a, x in table["settlement"]["payoffs"].items()} == {
        "Sam": 81.415926,
        "Bea": 10,
    }
    playing = [one for one in history if not one[0].get("settlement")]
    assert len(playing) > 8
    assert AT_THE_END not in every_word([one for one in playing if not one[0].get("record")])
    everywhere = every_word([came, history, result("r", "negotiation_priced", table)])
    for owner, numbers in OWN.items():
        for number in numbers:
            assert number not in everywhere, f"{owner}'s {number} travels"
            for agent, _, messages in script.letters:
                assert (number in as_text(messages)) <= (agent == owner)
    refusals = [as_text(m) for a, _, m in script.letters]
    assert any("This leaves you 40.415926, less than your reservation" in r for r in refusals)
    assert any("you can pay at most 55.112358: pay less." in r for r in refusals)


@pytest.mark.parametrize("mode", MODES)
def test_the_best_welfare_is_what_brute_force_finds(mode: str) -> None:
    for seed in range(6):
        market = load("trade", {"mode": mode}, seed=seed).market
        points = [[market.alone(agent) for agent in market.agents]]
        for division in product(*(range(total + 1) for total in market.totals.values())):
            parts = [
                dict(zip(market.goods, division, strict=True)),
                {g: market.totals[g] - n for g, n in zip(market.goods, division, strict=True)},
            ]
            points.append([market.worth(a, x) for a, x in zip(market.agents, parts, strict=True)])
        assert welfare(market) == max(sum(point) for point in points)


@pytest.mark.parametrize("mode", MODES)
def test_a_coalition_is_worth_what_its_members_gave_one_another(mode: str) -> None:
    game = load("trade", {"mode": mode, "rounds": 2}, seed=1)
    position, record, dice = game.start(), [], Random(mode)
    while not game.over(position):
        legal = {a: game.legal(position, a) for a in game.agents}
        actions = {a: dice.choice(acts[-2:]) for a, acts in legal.items() if acts}
        after = game.step(position, actions)
        record.append({"turn": len(record) + 1, "actions": actions, "rewards": after.rewards})
        position = after.position
    alone = {agent: game.market.alone(agent) for agent in game.agents}
    for agent in game.agents:
        assert game.replays(record).alone()[agent] == alone[agent]
        assert game.worth(record, frozenset([agent])) == 0


def test_worth_is_a_sum_over_agents_each_by_its_partners_unless_goods_are_passed_on() -> None:
    agents, summed = ["Ann", "Ben", "Cem", "Dan", "Eve"], set()
    coalitions = np.array([*product((False, True), repeat=len(agents))])
    for seed in range(12):
        game = load("trade", {"agents": agents, "rounds": 2}, seed=seed)
        position, record, dice = game.start(), [], Random(seed)
        while not game.over(position):
            actions = {a: dice.choice(game.legal(position, a)) for a in agents}
            after = game.step(position, actions)
            record.append({"turn": len(record) + 1, "actions": actions, "rewards": after.rewards})
            position = after.position
        replays = game.replays(record)
        summed.add(replays.classes is not None)
        whole = replays.totals(coalitions)
        for row, worth in zip(coalitions, whole, strict=True) if replays.classes else ():
            parts = Fraction(0)
            for one in replays.classes or ():
                inside = tuple(
                    int(row[int(np.argmax(one.of == c))]) for c in range(one.worths.ndim)
                )
                nobody = (0,) * one.worths.ndim
                parts += Fraction(one.worths[inside] - one.worths[nobody], one.unit)
            assert parts == worth - whole[0]
    assert summed == {True, False}


def test_a_pool_is_lost_unless_all_others_accept() -> None:
    game = load("trade", {"mode": "ultimatum"}, seed=1)
    least = game.market.alone("Bob")
    given = game.step(game.start(), {"Alice": "give 4 coin to Bob"})
    assert game.legal(given.position, "Alice") == []
    ends = [game.step(given.position, acts).rewards for acts in ({"Bob": "accept"}, {})]
    assert ends == [{"Alice": 6, "Bob": 4}, {"Alice": 0, "Bob": least}]


def test_of_each_issue_one_option_is_agreed_on_and_worth_to_each_what_it_says(
    tmp_path: Path,
) -> None:
    file = tmp_path / "job.json"
    file.write_text(json.dumps(JOB))
    game = load("trade", {"market": str(file), "rounds": 2})
    told = "How much of salary Ben holds in the end is what is agreed on it: 0 is low, 1 is fair"
    assert told in game.rules()
    assert "31" not in game.rules() + json.dumps(game.facts())
    assert game.private("Ann")["worth_to_you"]["salary"] == {"0": 0, "1": 20, "2": 50}
    position = game.start()
    for gift in ("give 1 salary to Ben", "give 1 start to Ben"):  # a fair salary, from June on
        position = game.step(position, {"Ann": gift}).position
    assert game.step(position, {"Ben": "accept"}).rewards == {"Ann": 29, "Ben": 34}
    assert game.step(position, {"Ben": "refuse"}).rewards == {"Ann": 0, "Ben": 12}
    assert game.reference_points().best == 29 + 34


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({}, "agents: it is missing"),
        ({**LAMP, "colour": 777.25}, "no setting 'colour': there are name, about, pool, issues"),
        ({"agents": {"A": {"holds": {"x": 1}}}}, "agents: it has 1: give 2 or more"),
        *(
            ({"agents": {"A": told, "B": {}}}, why)
            for told, why in (
                ({"purs": 777.25}, "no setting 'agents.A.purs': did you mean 'purse'?"),
                ({"holds": {"x": 777.25}}, "agents.A.holds.x: it has to be a whole number"),
                ({"holds": ["x"]}, "agents.A.holds: it has to be a mapping, as in {key: value}"),
                ({"worth": {"x": None}}, "agents.A.worth.x: it has to be a number"),
                (777.25, "agents.A: it has to be a mapping, as in {key: value}"),
            )
        ),
        ({"agents": {"A": {}, "B": {}}}, "there are 0 goods: give 1 to 12"),
        ({"agents": {"A": {"holds": {"x": -1}}, "B": {}}}, "A holds -1 x: give 0 to 1000000000"),
        (
            {"agents": {"A": {"holds": {"x": 1}, "worth": {"y": 777.25}}, "B": {}}},
            "A values y, which nobody holds",
        ),
        (
            {"agents": {"A": {"holds": {"x": 1}, "worth": {"x": "s777.25"}}, "B": {}}},
            "what x is worth to A is no number",
        ),
        *(
            ({"agents": {"A": {"holds": {"x": 1}, **told}, "B": {}}}, why)
            for told, why in (
                ({"purse": "s777.25"}, "the purse of A is no number of 0 or more"),
                ({"purse": -777.25}, "the purse of A is no number of 0 or more"),
                ({"otherwise": "s777.25"}, "what A has otherwise is no number"),
                ({"worth": {"x": ["1e400", "777.25"]}}, "what x is worth to A is no number"),
            )
        ),
        ({"agents": {"world": {"holds": {"x": 1}}, "B": {}}}, "choose other names"),
        ({**JOB, "issues": {"salary": ["low"]}}, "salary: give 2 to 13 different options"),
        (
            {
                "issues": {"pay": ["a", "b"]},
                "agents": {"A": {"worth": {"pay": {"a": 777.25}}}, "B": {}},
            },
            "A values other options of pay than there are",
        ),
        (
            {"issues": {"pay": ["a", "b"]}, "agents": {"A": {"worth": {"pay": 777.25}}, "B": {}}},
            "A values pay: give what each option is worth",
        ),
        ([], "holds no market"),
    ],
)
def test_a_wrong_market_is_refused_in_one_line_that_tells_no_worth(
    tmp_path: Path, content: Any, why: str
) -> None:
    file = tmp_path / "market.json"
    file.write_text(json.dumps(content))
    with pytest.raises(GameError) as refusal:
        load("trade", {"market": str(file)})
    assert why in str(refusal.value)
    assert "777.25" not in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("graph", "stride"),
    [("negotiation", 7), *(pytest.param(g, 1, marks=pytest.mark.slow) for g in GRAPHS)],
)
async def test_every_character_plays_every_mode_and_nobody_signs_at_a_loss(
    graph: str, stride: int
) -> None:
    pairs = list(pairwise([*sorted(set(CHARACTERS) - {"impartial"}), "rational"]))
    for n, (one, other) in list(enumerate(pairs))[::stride]:
        mode = MODES[n % len(MODES)]
        seats = {"Alice": f"embedded:{one}", "Bob": f"embedded:{other}"}
        room = RunConfig(game="trade", params={"mode": mode}, seats=seats, seed=n)
        outcome = await play(graph, room)
        market = load("trade", {"mode": mode}, seed=n).market
        assert outcome["status"] in ("agreed", "no_deal")
        if graph == "llm_only" or outcome["breaches"]:
            continue
        for agent, name in (("Alice", one), ("Bob", other)):
            if not CHARACTERS[name].noise:  # who acts at random gives things away
                assert Fraction(str(outcome["payoffs"][agent])) >= market.alone(agent)


async def test_the_view_tells_the_gift_and_what_the_plan_would_have_come_to(tmp_path: Path) -> None:
    """A buyer that signed to keep still, so that the contract leaves no action open."""
    from shapley_coop.serve.view.clauses import contract_view
    from shapley_coop.serve.view.plan import plan_view

    file = tmp_path / "lamp.json"
    file.write_text(json.dumps(LAMP))
    keeps = [{"kind": "do", "agent": agent, "action": "keep"} for agent in ("Sam", "Bea")]
    turn = asked(file, OFFER)
    contract = sign(put(Deal.model_validate({"clauses": [*sale(50), *keeps]}), "Sam", 1), 1)
    table: Any = {**turn.table, "contract": contract}
    table |= played(EvaluatedTable(table), Choices({"Sam": "keep", "Bea": "keep"}))
    evaluated = EvaluatedTable(table)
    shown, plan = contract_view(evaluated), plan_view(evaluated)
    assert shown is not None
    assert plan is not None
    assert shown["clauses"][0]["turns"][0]["note"] == "Sam gives Bea 1 lamp"
    assert plan["payoffs"] == {"Sam": 81.415926, "Bea": 10}


def table_of_the_page() -> dict[tuple[str, str], str]:
    """(graph, mode) → what the documentation says of it."""
    page = (Path(__file__).parents[1] / "docs" / "trade.md").read_text(encoding="utf-8")
    part = page.partition("## Which workflow plays which market")[2].partition("*Deals*")[0]
    head, _, *rows = (
        [cell.strip(" `") for cell in line.strip("|").split("|")]
        for line in part.strip().splitlines()
    )
    return {
        (row[0], mode): told for row in rows for mode, told in zip(head[1:], row[1:], strict=True)
    }


PAGE = table_of_the_page()


def test_the_page_names_every_workflow_that_plays_trade() -> None:
    assert {graph for graph, _ in PAGE} == {
        n for n in names() if issubclass(Trade, builder(n).plays)
    }
    assert {mode for _, mode in PAGE} == set(MODES)


@pytest.mark.parametrize(
    ("graph", "mode"),
    [pytest.param(*at, marks=[] if at[0] == "negotiation" else pytest.mark.slow) for at in PAGE],
)
async def test_a_workflow_plays_a_market_as_the_page_says(graph: str, mode: str) -> None:
    """Of four seeds some are agreed on, all offers can be kept, and all that is signed is kept."""
    told = PAGE[graph, mode]
    agents = ["Ann", "Ben", "Cem", "Dee"] if graph == "delegates" else ["Ann", "Ben"]
    room = RunConfig(game="trade", params={"mode": mode, "agents": agents})
    if told == "refused":
        with pytest.raises(ValueError, match=r"for two agents|what agents own"):
            await play(graph, room)
        return
    kinds = set()
    for seed in range(4):
        outcome = await play(graph, room.model_copy(update={"seed": seed}))
        assert outcome["breaches"] == []
        for answers in outcome["happened"]["answers"].values():
            assert not {"CLASH", "TURN"} & answers["labels"].keys()
        kinds |= {clause["kind"] for clause in (outcome["contract"] or {"clauses": []})["clauses"]}
    expected = {"none": set(), "by hand": {"do"}}
    assert ("give" in kinds) if told in ("deals", "orders") else (kinds == expected[told])


@pytest.mark.parametrize("rounds", [1, 2])
async def test_a_deal_about_issues_is_kept_where_goods_go_by_hand(
    tmp_path: Path, rounds: int
) -> None:
    """With a turn for each issue, a deal is about both."""
    file = tmp_path / "job.json"
    file.write_text(json.dumps(JOB))
    params = {"market": str(file), "rounds": rounds}
    for seed in range(2):
        outcome = await play("negotiation", RunConfig(game="trade", params=params, seed=seed))
        assert (outcome["status"], outcome["breaches"]) == ("agreed", [])
        gifts = [c for c in outcome["contract"]["clauses"] if "give" in c["action"]]
        assert [gift["when"] for gift in gifts] == [{"turns": [n, n]} for n in range(1, rounds + 1)]


@pytest.mark.parametrize(
    ("agent", "action", "when", "why"),
    [
        ("Ann", "give 1 salary to Ben", "always", "Ann cannot give 1 salary to Ben at turn 2"),
        ("Ann", "keep", {"turn": 2}, "Ann cannot keep at turn 2: name other turns"),
        ("Ben", "accept", "always", "Ben cannot accept at turn 1: name other turns"),
        ("Ben", "accept", {"turn": 2}, ""),
    ],
)
def test_what_cannot_be_done_in_a_turn_is_not_signed_for_it(
    tmp_path: Path, agent: str, action: str, when: Any, why: str
) -> None:
    file = tmp_path / "job.json"
    file.write_text(json.dumps(JOB))
    duty = {"kind": "do", "agent": agent, "action": action, "when": when}
    found = said(asked(file, OFFER, params={"protect": False}), "Ann", [duty])
    assert (found.label if isinstance(found, Fault) else "") == ("TURN" if why else "")
    if why:
        assert why in found.feedback
