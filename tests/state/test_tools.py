"""Tools: what an agent may ask the program, in each game, and what it is never told."""

import json

import pytest

from shapley_coop.deals.language.clauses import Do, Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import Event, Every, Last
from shapley_coop.games import names
from shapley_coop.questions import answer, answer_split, claim
from shapley_coop.questions.act import QUESTION as ACT
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.tool_words import MAX_ANSWER_CHARS
from shapley_coop.state.tools import tools_of
from shapley_coop.state.topics import PLAN, SPLIT, with_computed_values
from shapley_coop.state.turn import TurnContext
from tests.brought import brought_by
from tests.deals.analysis.test_outlook import LEVER_FOR_FIVE
from tests.root import ROOT

ANSWER = answer.QUESTION.about(with_computed_values(PLAN))
LAST = answer_split.QUESTION.about(with_computed_values(SPLIT))
CLAIM = claim.QUESTION.about(with_computed_values(SPLIT))

PRICE = {
    "escape_room": Deal(
        clauses=[
            Do(agent="Alice", action="door"),
            Do(agent="Bob", action="lever"),
            Pay(payer="Alice", payee="Bob", amount=5),
        ]
    ),
    "prisoners_dilemma": Deal(
        clauses=[
            Do(agent="Alice", action="cooperate", when=Every(every=3)),
            Pay(
                payer="Bob",
                payee="Alice",
                amount=1,
                when=Last(last=Event(agent="Alice", action="cooperate")),
            ),
        ]
    ),
    "public_goods": Deal(clauses=[Do(agent=a, action="give") for a in ("Alice", "Bob")]),
    "task_exchange": Deal(clauses=[Pay(payer="Bob", payee="Alice", amount="1/10")]),
}


def at(game, asking=ANSWER, turns=(), secrets="", **more):
    """Everybody is asked in this game, after these joint actions."""
    config = RunConfig(game=game, secrets=secrets).resolve()
    settings = config.model_dump(mode="json")
    empty = EvaluatedTable({"episode": f"tools {game}", "settings": settings})
    position, record = empty.game.start(), []
    for actions in turns:
        after = empty.game.step(position, actions)
        turn = {"turn": len(record) + 1, "actions": actions, "rewards": after.rewards}
        record.append({**turn, "pot": after.pot} if after.pot else turn)
        position = after.position
    table = {"episode": f"tools {game}", "settings": settings, "position": position}
    table |= {"record": record, "round": 1, "agents": list(empty.agents), **more}
    return TurnContext(EvaluatedTable(table), asking, tuple(empty.agents))


def ask(turn, who, name, **arguments):
    tool = next(tool for tool in tools_of(turn, who) if tool.name == name)
    return tool.invoke(arguments)


def drafted(deal):
    return {"clauses": deal.record()["clauses"]}


@pytest.mark.parametrize("game", [game for game in PRICE if game in names()])
def test_every_tool_answers_in_words_in_every_game(game):
    turn = at(game)
    agent = turn.evaluated.agents[0]
    tools = {tool.name: tool for tool in tools_of(turn, agent)}
    assert list(tools) == ["evaluate_deal", "check_deal", "simulate", "history"]
    words = ask(turn, agent, "evaluate_deal", **drafted(PRICE[game]))
    assert "- All keep it: you " in words
    assert "- No deal (" in words
    assert PRICE[game].text() in ask(turn, agent, "check_deal", **drafted(PRICE[game]))
    mine = [{"kind": "do", "action": turn.evaluated.game.actions[agent][0]}]
    assert "By this plan: you " in ask(turn, agent, "simulate", mine=mine)
    assert ask(turn, agent, "history") == "Nothing that happened matches."


def test_the_answerer_reads_its_payoffs_and_its_best_breach():
    words = ask(at("escape_room"), "Bob", "evaluate_deal", **drafted(PRICE["escape_room"]))
    assert words.splitlines()[:4] == [
        "What each ends up with over the whole game, in points (exact):",
        "- All keep it: you 4, Alice 5.",
        "- Alice signs and breaks it by lever: you 4, Alice -6.",
        "- You sign and break it by door: you 4, Alice -6.",
    ]


def test_checking_a_draft_tells_everything_that_is_wrong_with_it():
    clauses = [
        {"kind": "pay", "payer": "Bob", "payee": "Eve", "amount": 1},
        {"kind": "do", "agent": "Bob", "action": "fly"},
        {"kind": "share", "fractions": {"Alice": "1/2", "Bob": "1/3"}},
    ]
    words = ask(at("escape_room"), "Bob", "check_deal", clauses=clauses)
    for part in (
        "would be refused",
        "Eve, who is not a party",
        "no action fly",
        "sum to exactly 1",
    ):
        assert part in words


def test_values_are_told_once_they_are_computed_and_never_before_a_claim():
    turns = [{"Alice": "door", "Bob": "lever"}]
    over = {"accounts": {"total": "9"}, "reckoning": {"norm": "shapley"}}
    names = [tool.name for tool in tools_of(at("escape_room", LAST, turns, **over), "Bob")]
    assert names[2:5] == ["outcome", "marginal_contribution", "shapley_value"]
    for asking, more in ((CLAIM, over), (LAST, {}), (ACT, {})):
        told = {tool.name for tool in tools_of(at("escape_room", asking, turns, **more), "Bob")}
        assert not told & {"marginal_contribution", "shapley_value"}
    (only,) = tools_of(at("escape_room", CLAIM, turns, **over), "Bob")
    assert only.name == "history", "a claim is no deal"
    plain = answer_split.QUESTION.about(SPLIT)
    told = {tool.name for tool in tools_of(at("escape_room", plain, turns, **over), "Bob")}
    assert "outcome" in told
    assert "shapley_value" not in told, "a workflow without values offers none by the back door"


def test_the_long_term_step_is_answered_from_the_record():
    turns = [{"Alice": "door", "Bob": "lever"}]
    turn = at("escape_room", LAST, turns, accounts={"total": "9"}, reckoning={"norm": "shapley"})
    assert ask(turn, "Bob", "outcome").splitlines() == [
        "After 1 turns all together have 9 points.",
        "Earned: Alice 10, Bob -1.",
    ]
    assert "without Bob: 10 less" in ask(turn, "Bob", "marginal_contribution", agent="Bob")
    value = ask(turn, "Bob", "shapley_value", agent="Bob")
    assert "Bob: value 4.5, 0 at the baseline, so 4.5 by the norm." in value
    assert "There is no agent" in ask(turn, "Bob", "shapley_value", agent="Eve")


def test_a_draft_after_the_play_can_end_no_clause():
    over = at("escape_room", LAST, [{"Alice": "door", "Bob": "lever"}], accounts={"total": "9"})
    half = {"kind": "share", "fractions": {"Alice": "1/2", "Bob": "1/2"}}
    said = ask(over, "Bob", "check_deal", clauses=[half], drops=["c3"])
    assert "no clause can end: leave out `drops`" in said


def test_history_finds_what_was_said_and_done():
    said = {"id": "m1", "topic": "plan", "turn": 1, "round": 1, "by": "Alice", "act": "propose"}
    said |= {"text": 'Take\nthe "lever"', "deal": PRICE["escape_room"].record()}
    turn = at("escape_room", turns=[{"Alice": "door", "Bob": "lever"}], talk=[said])
    words = ask(turn, "Bob", "history")
    first, second = words.splitlines()
    assert first.startswith(
        'Before turn 1, round 1: Alice made an offer, saying "Take\\nthe \\"lever\\""'
    )
    assert second == "Turn 1: Alice did door, Bob did lever; earned: Alice 10, Bob -1."
    assert ask(turn, "Bob", "history", words="DID DOOR") == second
    assert ask(turn, "Bob", "history", first=7) == "Nothing that happened matches."


SECRETS = {"Alice": "reservation value: 4.25 canary-alice", "Bob": "reservation value: 3.75"}


@pytest.fixture
def _secrets():
    home().secrets.mkdir(parents=True, exist_ok=True)
    (home().secrets / "told.yaml").write_text(json.dumps(SECRETS))


@pytest.mark.usefixtures("_secrets")
def test_a_tool_uses_the_callers_reservation_value_and_tells_nobody_elses():
    low = {"clauses": [{"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": 1}]}
    turn = at("escape_room", secrets="told")
    assert "4.25" in ask(turn, "Alice", "check_deal", **low)
    for name in ("evaluate_deal", "check_deal"):
        told = ask(turn, "Bob", name, **low)
        assert "3.75" in told
        assert "4.25" not in told
        assert "canary" not in told


@brought_by("exchange")
def test_no_tool_tells_a_trader_what_anothers_tasks_are_worth_to_it():
    """Whatever another's utilities are, one's own answers stay as they are."""
    told = []
    for variant in (0, 1):
        turn = at("task_exchange")
        game = turn.evaluated.game
        own = game.scenario.utilities["Bob"]
        game.scenario.utilities["Bob"] = own[::-1].copy() if variant else own
        hand = f"hand {game.tasks.names[0]} to Bob"
        turn.table["episode"] = turn.table["settings"]["instructions"] = f"variant {variant}"
        clauses = [{"kind": "do", "agent": "Alice", "action": hand}]
        share = [{"kind": "share", "fractions": {"Alice": "1/2", "Bob": "1/2"}}]
        answers = [ask(turn, "Alice", "evaluate_deal", clauses=c) for c in (clauses, share)]
        answers.append(ask(turn, "Alice", "simulate", mine=clauses))
        game.scenario.utilities["Bob"] = own
        told.append(answers)
    assert told[0] == told[1]
    assert "Bob " not in told[0][0].split("All keep it")[1].splitlines()[0]
    assert "worth to them" in told[0][1]


HOSTILE = [
    [],
    [None],
    ["<ACCEPT>"],
    [{"kind": "do"}],
    [{"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": "NaN"}],
    [{"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": 10**30}],
    [{"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": 5000}],
    [{"kind": "share", "norm": "__import__('os')"}],
    [{"kind": "do", "agent": "Bob\x00", "action": "door\u202e"}],
    [{"kind": "do", "agent": "Bob", "action": "x" * 30_000}],
    [{"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": 1}] * 256,
]


@pytest.mark.parametrize("clauses", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("game", [game for game in PRICE if game in names()])
def test_hostile_arguments_are_answered_with_words(game, clauses):
    turn = at(game)
    agent = turn.evaluated.agents[0]
    for name in ("evaluate_deal", "check_deal"):
        words = ask(turn, agent, name, clauses=clauses)
        assert 0 < len(words) <= MAX_ANSWER_CHARS
    assert ask(turn, agent, "simulate", mine=clauses, others=clauses)


@pytest.mark.parametrize("depth", [50, 400])
def test_a_condition_nested_as_deep_as_one_likes_is_answered_with_words(depth):
    when = "always"
    for _ in range(depth):
        when = {"not": when}
    clause = {"kind": "do", "agent": "Bob", "action": "door", "when": when}
    words = ask(at("escape_room"), "Bob", "check_deal", clauses=[clause])
    assert 0 < len(words) <= MAX_ANSWER_CHARS
    assert depth < 100 or "nested" in words or "cannot be read" in words


@pytest.mark.parametrize("raw", [{"clauses": "all"}, {"clause": []}, {"1": 2}])
def test_arguments_that_do_not_fit_are_answered_with_words(raw):
    for tool in tools_of(at("escape_room"), "Bob"):
        assert tool.invoke(raw)


def test_outsiders_ask_nothing():
    assert tools_of(at("escape_room"), "summariser") == ()


def test_every_argument_says_what_it_is():
    turn = at("escape_room", LAST, accounts={"total": "0"}, reckoning={"norm": "shapley"})
    for tool in (*tools_of(turn, "Bob"), *tools_of(at("escape_room"), "Bob")):
        assert tool.description
        schema = tool.args_schema.model_json_schema()
        assert all(field.get("description") for field in schema.get("properties", {}).values())


def test_the_page_shows_what_the_tool_answers():
    page = (ROOT / "docs" / "outlook.md").read_text(encoding="utf-8")
    deal = LEVER_FOR_FIVE.model_dump(mode="json")
    words = ask(at("escape_room"), "Bob", "evaluate_deal", clauses=deal["clauses"])
    assert f"```text\n{words}\n```" in page
    turn = at("escape_room", LAST, accounts={"total": "0"}, reckoning={"norm": "shapley"})
    for tool in (*tools_of(turn, "Bob"), *tools_of(at("escape_room"), "Bob")):
        assert f"`{tool.name}`" in page
