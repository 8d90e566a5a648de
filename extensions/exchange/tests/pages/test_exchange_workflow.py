"""The workflow of task exchange: who speaks when, what is delivered, how it ends, what is done."""

import json
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from extensions.exchange.tests.exchanging import (
    ACCEPT,
    BASELINE,
    BOTH,
    KEEP,
    OVERLAP,
    REJECT,
    TASKS,
    TRADE,
    UNCHECKED,
    UNGUIDED,
    counted,
    propose,
    run,
    turns,
)
from shapley_coop.deals.agreement import monitor_of
from shapley_coop.extensions.exchange.game import TaskExchange
from shapley_coop.extensions.exchange.talk import exchange_of
from shapley_coop.games import load
from shapley_coop.graphs import builder
from shapley_coop.seats.letters import as_text
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.outcome import summarise
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.scripted import Script


async def test_the_talk_goes_as_the_paper_says(script: Script) -> None:
    """Turn 1 is private; then one proposal a turn, answered by acceptance or a counter-proposal."""
    script["Alice", "exchange"] = [propose(0b000001), ACCEPT]
    script["Bob", "exchange"] = REJECT + propose(TRADE)
    table = await run()
    assert turns(table) == [(2, "Alice", "propose"), (3, "Bob", "reject"), (4, "Alice", "accept")]
    assert table["status"] == "agreed"
    assert [said["round"] for said in table["talk"] if "puts" in said] == [2, 3]
    assert {act for _, act, _ in script.letters} == {"consider", "exchange", "act"}
    for letter in script.shown_to("Bob"):
        assert "my secret plan" not in letter
    assert "my secret plan" not in json.dumps(table)


async def test_letters_say_what_one_holds_and_what_has_changed_hands(script: Script) -> None:
    script["Alice", "exchange"] = propose(TRADE)
    script["Bob", "exchange"] = ACCEPT
    await run()
    for act in ("consider", "exchange"):
        letter = script.shown_to("Bob", act)[0]
        assert f"What you hold now ({letter.facts['held']['mask']}) is worth" in letter
        assert "Undone tasks cost nothing; waiting is free." in letter
    planning = script.shown_to("Alice", "consider")[0]
    assert "(111000) is worth 0.75 to you, and 0.966 if you do only 010000." in planning
    acting = script.shown_to("Bob", "act")[0]
    assert " gave Alice 1 " in acting
    assert "PROPOSAL" not in acting


@pytest.mark.parametrize(
    ("room", "costs"),
    [
        ({}, "all see it, and it costs nothing."),
        ({"enforcement": "escrow", "deposit": "0.2"}, "the first breach costs the deposit of 0.2."),
    ],
)
async def test_the_talk_says_that_a_deal_asks_for_tasks_and_what_a_breach_costs(
    script: Script, room: dict[str, str], costs: str
) -> None:
    script["Alice", "exchange"] = propose(KEEP)
    script["Bob", "exchange"] = ACCEPT
    await run(**room)
    letter = script.shown_to("Bob", "exchange")[0]
    assert "A deal, also one without a trade, asks each to do all tasks" in letter
    assert script.shown_to("Bob", "act")[0].facts["duties"], "as the letter said"
    assert f"doing only some breaks it: {costs}" in letter
    assert "one a turn from turn 2 on, in the order above" in letter


async def test_a_deal_asks_for_no_task_that_is_done_and_says_what_was_left_out(
    script: Script,
) -> None:
    script["Alice", "exchange"] = propose(TRADE)
    script["Bob", "exchange"] = ACCEPT
    script["Bob", "act"] = lambda facts: f"<ACTION>{facts['legal'][-2]}</ACTION>"  # the last first
    await run()
    _, second, third, fourth = script.shown_to("Bob", "act")
    assert "**The deal asks you for: book_flight(" in second
    assert "You left out, at its turn in the deal: take_note(" in second
    assert "| all keep the deal: what you left out is done, too |" in second
    for letter in (third, fourth):
        assert letter.facts["duties"] == []
        assert "for a task that is done already: s" in letter
        assert "asks you for" not in letter
    assert "| you do nothing more | 0.4937 |" in fourth
    assert "| you do nothing more" not in second, "the row of the breach that pays most is there"


async def test_a_breach_without_time_to_do_tasks_later_is_told_by_the_tasks_that_are_done(
    script: Script,
) -> None:
    script["Alice", "exchange"] = propose(0b010000)
    script["Bob", "exchange"] = ACCEPT
    await run(params={"rounds": 6})
    letter = script.shown_to("Bob", "act")[1]
    assert "**The deal asks you for: book_flight(" in letter
    assert "| you break it by doing " in letter
    assert "later than asked" not in letter


async def test_tasks_are_done_that_an_action_names_in_the_words_of_letters(script: Script) -> None:
    game = TaskExchange()

    def in_words(facts: dict[str, Any]) -> str:
        task = facts["legal"][0]
        return f"<ACTION>{next(iter(game.also_called(task)), task)}</ACTION>"

    script["Alice", "exchange"] = propose(TRADE)
    script["Bob", "exchange"] = ACCEPT
    script["Alice", "act"] = script["Bob", "act"] = in_words
    assert (await run())["position"]["done"] == "111111"


async def test_what_is_agreed_changes_hands_and_is_done_by_its_new_owner(script: Script) -> None:
    script["Alice", "exchange"] = propose(TRADE)
    script["Bob", "exchange"] = ACCEPT
    table = await run()
    assert table["position"]["holds"] == {"Alice": "010001", "Bob": "101110"}
    assert table["position"]["done"] == "111111"
    results = [e for t in table["record"] for e in t.get("effects", []) if e["effect"] == "result"]
    assert {(e["agent"], e["task"]) for e in results} == {
        *(("Alice", TASKS.names[i]) for i in (1, 5)),
        *(("Bob", TASKS.names[i]) for i in (0, 2, 3, 4)),
    }
    assert all(e["ok"] for e in results)
    assert monitor_of(table["contract"], table["record"]).breaches == []
    paper = exchange_of(EvaluatedTable(table)).scenario
    assert table["settlement"]["payoffs"] == {  # type: ignore[index]
        "Alice": int(paper.utilities["Alice"][TRADE]),
        "Bob": int(paper.utilities["Bob"][63 ^ TRADE]),
    }


async def test_the_record_can_be_replayed_with_what_changed_hands(script: Script) -> None:
    script["Alice", "exchange"] = propose(TRADE)
    script["Bob", "exchange"] = ACCEPT
    table = await run()
    game = load("task_exchange")
    position = game.start()
    for turn, after in zip(table["record"], game.analysis.replay(table["record"]), strict=True):
        assert after.rewards == turn["rewards"]
        position = after.position
    assert position == table["position"]
    assert table["record"][0]["actions"] == {}, "the first turn is the contract's"


async def test_without_agreement_everybody_keeps_and_does_its_initial_tasks(script: Script) -> None:
    script["Alice", "exchange"] = [propose(0b000001), REJECT + propose(0b000001)]
    script["Bob", "exchange"] = REJECT + propose(0b101110)
    table = await run()
    assert turns(table)[-1] == (10, "Alice", "reject")
    assert len(table["talk"]) == 9
    assert table["status"] == "no_deal"
    assert table["position"]["holds"] == {"Alice": "111000", "Bob": "000111"}
    assert table["position"]["done"] == "111111"
    assert table["settlement"]["payoffs"] == {"Alice": 750_000, "Bob": 700_000}  # type: ignore[index]


async def test_retries_never_advance_the_turn_and_only_the_author_is_told(script: Script) -> None:
    script["Alice", "exchange"] = [OVERLAP, "no tags", propose(TRADE)]
    script["Bob", "exchange"] = ACCEPT
    table = await run()
    assert turns(table) == [(2, "Alice", "propose"), (3, "Bob", "accept")]
    assert counted(table, "Alice") == {"OVL": 1, "MPT": 1}
    second = script.shown_to("Alice", "exchange")[1]
    assert "share atomic task(s)" in second
    for letter in script.shown_to("Bob", "exchange"):
        assert "share atomic" not in letter
        assert "could not be used" not in letter


async def test_the_fifth_invalid_attempt_of_a_turn_ends_the_run_as_an_error(script: Script) -> None:
    script["Alice", "exchange"] = [*["wrong"] * 4, propose(TRADE)]
    script["Bob", "exchange"] = "wrong"
    table = await run()
    assert turns(table) == [(2, "Alice", "propose"), (3, "Bob", "pass")], "Alice mended it in time"
    assert (counted(table, "Alice"), counted(table, "Bob")) == ({"MPT": 4}, {"MPT": 5})
    assert table["status"] == "error"
    assert table["record"] == []
    assert table["settlement"]["payoffs"] == {"Alice": 0, "Bob": 0}  # type: ignore[index]


async def test_the_count_of_attempts_starts_anew_with_each_turn(script: Script) -> None:
    script["Alice", "exchange"] = [*["wrong"] * 4, propose(0b000001), *["wrong"] * 4, ACCEPT]
    script["Bob", "exchange"] = REJECT + propose(TRADE)
    table = await run()
    assert table["status"] == "agreed"
    assert counted(table, "Alice") == {"MPT": 8}


async def test_without_the_validator_a_message_goes_as_written_and_is_checked_at_the_end(
    script: Script,
) -> None:
    script["Alice", "exchange"] = OVERLAP
    script["Bob", "exchange"] = ACCEPT
    table = await run(UNCHECKED)
    assert table["talk"][0]["text"] == OVERLAP.removeprefix("<CONSIDER>my secret plan</CONSIDER>")
    shown = script.shown_to("Bob", "exchange")[0]
    assert TASKS.registry.describe(0b111110) in shown, "it is told as it was written"
    assert "my secret plan" not in shown
    assert len(script.shown_to("Alice", "exchange")) == 1, "nothing was sent back"
    assert table["status"] == "error"
    assert counted(table, "Alice") == {"OVL": 1}
    assert table["contract"] is None


async def test_without_the_validator_a_valid_agreement_stands(script: Script) -> None:
    script["Alice", "exchange"] = ["I have nothing to propose.", propose(TRADE)]
    script["Bob", "exchange"] = [f"{REJECT}<PROPOSAL>{{broken</PROPOSAL>", ACCEPT]
    table = await run(UNCHECKED)
    acts = [act for *_, act in turns(table)]
    assert acts == ["pass", "reject", "propose", "accept"]
    assert "{broken" in script.shown_to("Alice", "exchange")[1]
    assert table["status"] == "agreed"


@pytest.mark.parametrize(
    ("graph", "guidance"), [(BOTH, True), (UNGUIDED, False), (UNCHECKED, True), (BASELINE, False)]
)
async def test_the_guidance_is_a_section_of_the_letter_and_nothing_else(
    script: Script, graph: str, guidance: bool
) -> None:
    script["Alice", "exchange"] = propose(TRADE)
    script["Bob", "exchange"] = ACCEPT
    await run(graph)
    for agent in ("Alice", "Bob"):
        letter = script.shown_to(agent, "exchange")[0]
        assert ("Be utility-aware" in letter) == guidance
        for always in ("1. Never", "2. Use exact", "3. Decompose", "5. Never", "6. Everybody"):
            assert always in letter


@pytest.mark.parametrize("graph", [BOTH, UNGUIDED, UNCHECKED, BASELINE])
async def test_embedded_agents_play_all_of_it_for_any_seed(graph: str) -> None:
    for seed in range(2):
        table = await run(graph, seed=seed)
        assert table["status"] in {"agreed", "no_deal", "error"}
        if table["status"] != "error":
            assert table["position"]["done"] == "111111"


async def test_four_agents_trade_twelve_tasks_with_a_compact_letter(script: Script) -> None:
    names = ["Ann", "Ben", "Cat", "Dan"]
    params = {"scenario": "generated", "agents": names, "atoms": 12, "competition": 0.2}
    table = await run(params={**params, "talk": 20})
    assert table["status"] == "agreed"
    assert table["position"]["done"] == "1" * 12
    longest = max(len(as_text(m)) for _, act, m in script.letters if act == "exchange")
    assert longest < 12_000, "and not the 4,096 composites"
    assert (
        "its exact description is its tasks' words above" in (script.shown_to("Ann", "exchange")[0])
    )


# Tools


async def test_failures_of_tools_are_in_the_record(script: Script) -> None:
    script["Alice", "exchange"] = propose(KEEP)
    script["Bob", "exchange"] = ACCEPT
    table = await run(params={"failures": 1.0})
    results = [e for t in table["record"] for e in t.get("effects", []) if e["effect"] == "result"]
    assert len(results) == 6
    assert all(not e["ok"] and "did not answer" in e["result"] for e in results)


async def test_killed_at_any_node_a_run_goes_on_to_the_same_end(script: Script) -> None:
    script["Alice", "exchange"] = propose(TRADE)
    script["Bob", "exchange"] = ACCEPT
    app = builder(BOTH).compile(checkpointer=InMemorySaver(), interrupt_after="*")
    config = {"configurable": {"thread_id": "t"}}
    given: Any = {"room": RunConfig(game="task_exchange", seed=1)}
    for _ in range(60):
        await app.ainvoke(given, config, context=RunConfig())
        given = None
        if not (await app.aget_state(config)).next:  # type: ignore[arg-type]
            break
    table = (await app.aget_state(config)).values  # type: ignore[arg-type]
    assert table["status"] == "agreed"
    assert table["settlement"]["ledger"] == "paid"
    assert sum(home().ledger.balances(table["episode"]).values()) == 0


async def test_a_contract_that_moves_nothing_is_refused_since_no_task_would_change_hands() -> None:
    for name in ("task_exchange", UNGUIDED, UNCHECKED, BASELINE):
        room = RunConfig(game="task_exchange", enforcement="notional")
        with pytest.raises(ValueError, match="contracts cannot transfer tasks"):
            await builder(name).compile().ainvoke({"room": room}, context=RunConfig())


async def test_accepting_what_each_holds_already_is_told_as_no_trade(script: Script) -> None:
    told = "No trade: all accepted that everybody keeps its initial tasks."
    for allocation, no_trade in ((KEEP, True), (TRADE, False)):
        script["Alice", "exchange"] = propose(allocation)
        script["Bob", "exchange"] = ACCEPT
        table = await run()
        assert table["status"] == "agreed", "the paper counts it as an agreement"
        assert (told in summarise(table, {})["words"]) is no_trade
    letter = script.shown_to("Alice", "exchange")[0]
    assert "Proposing what each holds now means no trade." in letter


async def test_the_talk_names_tasks_as_a_proposal_must_write_them(script: Script) -> None:
    script["Alice", "exchange"] = propose(TRADE)
    script["Bob", "exchange"] = ACCEPT
    await run()
    letter = script.shown_to("Bob", "exchange")[0]
    so_far = letter.split("# So far")[1].split("# You")[0]
    (line,) = letter.facts["history"]
    for agent, bits in line["masks"].items():
        description = letter.facts["registry"][bits]
        assert f"{agent}: {json.dumps(description)}" in so_far
        assert bits not in so_far
