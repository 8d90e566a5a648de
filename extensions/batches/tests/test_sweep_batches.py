"""A sweep's letters in batches: answered as any others, at half the price, paid for once."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.evals.prices import Price, Prices
from shapley_coop.evals.rows import Finished
from shapley_coop.extensions.batches.asking import Batches
from shapley_coop.extensions.batches.pauses import Pauses
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.folders import failures_in, read_rows
from shapley_coop.extensions.sweeps.forecast import forecast
from shapley_coop.extensions.sweeps.playing import Limits, Tally
from shapley_coop.extensions.sweeps.suite import Suite
from shapley_coop.state.storage.home import Home
from tests import embedded_reply
from tests.coop_command import USAGE, coop_in, one_line
from tests.embedded_reply import reply
from tests.evals.swept import SUITE, run, suite
from tests.stub_batches import StubBatches
from tests.stub_faults import Answer, Fault
from tests.stub_openai import StubOpenAI
from tests.warm_coop import Stop, warm_coop

BOOK = "shapley_coop.extensions.batches.book:Batched"
JOURNAL = "shapley_coop.state.storage.journal:Journal._keep_all"

QUICK = Pauses(settled=1e-4, gathered=60.0, first=0.001, longest=0.001)
IN_BATCHES = Limits(at_once=50, batches=partial(Batches, pauses=QUICK))


pytestmark = pytest.mark.usefixtures("careful")


def behind(stub: StubOpenAI, graph: str = "llm_only", seeds: str = "0-5", **more: Any) -> Suite:
    """Escape Room with both agents behind the stub, as one model."""
    seat = {"model": "openai:Alice", "base_url": stub.base_url, "max_tokens": 300, **more}
    seats = {"Alice": seat, "Bob": {**seat, "model": "openai:Bob"}}
    base = {"game": "escape_room", "seats": seats}
    return suite(base=base, vary={"graph": [graph]}, seeds=seeds)


def in_batches(folder: Path, made: Suite, **limits: Any) -> Tally:
    return run(made, folder, replace(IN_BATCHES, **limits))


def test_letters_of_all_cells_wait_together_in_one_batch_a_model(tmp_path):
    with StubOpenAI(reply, batches=StubBatches()) as stub:
        tally = in_batches(tmp_path, behind(stub))
        assert stub.batches is not None
        sizes = [batch["request_counts"]["total"] for batch in stub.batches.made]
        assert stub.calls == 0, "no letter is asked alone"
    assert (tally.done, tally.failed) == (6, 0), failures_in(tmp_path)
    assert sizes == [6, 6]


@pytest.mark.slow
def test_more_letters_than_a_file_may_have_go_in_several(tmp_path, monkeypatch):
    monkeypatch.setattr("shapley_coop.extensions.batches.asking.MOST", 2)
    with StubOpenAI(reply, batches=StubBatches()) as stub:
        assert in_batches(tmp_path, behind(stub, seeds="0-2")).done == 3
        assert stub.batches is not None
        sizes = [batch["request_counts"]["total"] for batch in stub.batches.made]
    assert sorted(sizes) == [1, 1, 2, 2]


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ("text", reply),
        pytest.param("schema", embedded_reply.by_schema, marks=pytest.mark.slow),
        pytest.param("tools", embedded_reply.by_tool, marks=pytest.mark.slow),
    ],
)
def test_what_is_asked_and_answered_is_the_same_as_letter_by_letter(tmp_path, answers, says):
    with StubOpenAI(says, batches=StubBatches()) as stub:
        graph = "llm_only" if answers == "text" else "negotiation"
        made = behind(stub, graph, "0-1", answers=answers, temperature=0.5, seed=7)
        assert run(made, tmp_path / "alone").done == 2
        alone = [request.body for request in stub.requests if request.is_call]
        assert in_batches(tmp_path / "together", made).done == 2
        assert stub.batches is not None
        lines = [line for batch in stub.batches.made for line in stub.batches.lines(batch)]
        assert len(alone) == stub.calls
    assert {json.dumps(line["body"]) for line in lines} == {json.dumps(body) for body in alone}
    rows, others = read_rows(tmp_path / "together"), read_rows(tmp_path / "alone")
    paid = [call for row in rows for call in row["calls"] if call["model"] != "embedded:impartial"]
    assert all(call.pop("batched") for call in paid)
    assert rows == others


def test_a_letter_that_fails_for_a_while_or_is_not_reached_goes_into_the_next_batch(tmp_path):
    batches = StubBatches()
    batches.faults.extend([None, Fault.server_error(503), None])
    batches.ends.extend(["completed", "expired"])
    with StubOpenAI(reply, batches=batches) as stub:
        tally = in_batches(tmp_path, behind(stub, seeds="0-3"))
    assert (tally.done, tally.failed) == (4, 0), failures_in(tmp_path)
    assert [batch["request_counts"]["total"] for batch in batches.made[:2]] == [4, 4]
    assert sum(batch["request_counts"]["total"] for batch in batches.made[2:]) == 3
    assert set(batches.charged.values()) == {1}


@pytest.mark.slow
def test_a_letter_that_is_refused_fails_its_cell_in_one_plain_line(tmp_path):
    batches = StubBatches()
    batches.faults.append(Fault.context_too_long())
    with StubOpenAI(reply, batches=batches) as stub:
        made = behind(stub, seeds="0-2")
        tally = in_batches(tmp_path, made, errors=1)
        assert (tally.done, tally.failed) == (2, 1)
        (failed,) = failures_in(tmp_path)
        assert "too long for the model" in failed["error"]
        assert in_batches(tmp_path, made).done == 1
    assert set(batches.charged.values()) == {1}, "what was answered before is not asked again"


@pytest.mark.slow
def test_an_answer_that_cannot_be_read_is_not_taken_from_its_batch_again(tmp_path):
    batches = StubBatches()
    batches.faults.append(Fault("no completion", Answer.of_json({"choices": []})))
    with StubOpenAI(reply, batches=batches) as stub:
        made = behind(stub, seeds="0-1")
        tally = in_batches(tmp_path, made, errors=1)
        assert (tally.done, tally.failed) == (1, 1)
        (failed,) = failures_in(tmp_path)
        assert "holds no choice" in failed["error"]
        assert in_batches(tmp_path, made).done == 1
    assert sorted(batches.charged.values()) == [1, 1, 1, 2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "why"),
    [("cancelled", "was told to cancel the batch"), ("billing_hard_limit_reached", "(400)")],
)
def test_a_batch_that_is_cancelled_or_fails_fails_its_cells_and_can_be_asked_again(
    tmp_path, end, why
):
    batches = StubBatches()
    batches.ends.extend([end, end])
    with StubOpenAI(reply, batches=batches) as stub:
        tally = in_batches(tmp_path, behind(stub, seeds="0-1"), errors=1)
        assert tally.failed, "what has no answer is not silent"
        assert all(why in line["error"] for line in failures_in(tmp_path))
        again = in_batches(tmp_path, behind(stub, seeds="0-1"))
        assert (again.left, again.failed) == (0, 0)
    assert set(batches.charged.values()) == {1}


@pytest.mark.slow
def test_letters_for_which_there_is_no_room_are_asked_in_halves(tmp_path):
    with StubOpenAI(reply, batches=StubBatches(room=2)) as stub:
        tally = in_batches(tmp_path, behind(stub, seeds="0-4"))
        assert stub.batches is not None
        assert (tally.done, tally.failed) == (5, 0), failures_in(tmp_path)
        sound = [b for b in stub.batches.made if b["status"] == "completed"]
        assert sum(b["request_counts"]["total"] for b in sound) == 10
        assert set(stub.batches.charged.values()) == {1}


def test_a_batch_whose_creation_was_not_confirmed_is_found_and_not_created_twice(tmp_path):
    with StubOpenAI(reply, batches=StubBatches(loses=2)) as stub:
        assert in_batches(tmp_path, behind(stub, seeds="0-2")).done == 3
        assert stub.batches is not None
        assert len(stub.batches.made) == 2
        assert set(stub.batches.charged.values()) == {1}


@pytest.mark.slow
def test_calls_in_batches_cost_their_part_and_keep_to_the_limit(tmp_path):
    dear = {"openai:*": Price(input=0, output=1000)}
    half = Prices(dear, batch={"openai:*": 0.5})
    with StubOpenAI(reply, batches=StubBatches()) as stub:
        made = behind(stub, seeds="0-3")
        whole = run(made, tmp_path / "alone", prices=half)
        tally = run(made, tmp_path / "together", IN_BATCHES, prices=half)
        assert tally.cost == pytest.approx(whole.cost / 2)
        (cell, *_) = read_rows(tmp_path / "together")
        assert half.cost(cell["calls"]) == pytest.approx(tally.cost / 4)
        limit = tally.cost / 3
        stopped = run(made, tmp_path / "few", replace(IN_BATCHES, cost=limit), prices=half)
    spent = [
        half.cost([call])
        for line in (*read_rows(tmp_path / "few"), *failures_in(tmp_path / "few"))
        for call in line["calls"]
    ]
    assert "cost limit" in stopped.stopped
    assert sum(spent) <= limit + max(spent)


def test_under_a_limit_a_batch_takes_as_many_letters_as_it_pays_for_at_their_worst(tmp_path):
    prices = Prices({"openai:*": Price(input=0, output=1000)}, batch={"openai:*": 0.5})
    worst = 300 * 1000 / 1_000_000 * 0.5
    with StubOpenAI(reply, batches=StubBatches()) as stub:
        made = behind(stub, seeds="0-11")
        seats = made.base["seats"]
        made.base["seats"] = {"*": seats["Alice"]}  # one model, and so one batch
        tally = run(made, tmp_path, replace(IN_BATCHES, cost=8.4 * worst), prices=prices)
        assert stub.batches is not None
        sizes = [batch["request_counts"]["total"] for batch in stub.batches.made]
        spent = [prices.cost([call]) for row in read_rows(tmp_path) for call in row["calls"]]
    assert (tally.done, tally.stopped) == (12, "")
    assert sizes[:2] == [8, 8], "what it cost is far less than what was reserved"
    assert sum(sizes) == 24
    assert sum(spent) == pytest.approx(tally.cost)


def test_what_a_limit_leaves_is_spent_on_runs_that_have_begun(tmp_path):
    prices = Prices({"openai:*": Price(input=0, output=1000)}, batch={"openai:*": 0.5})
    with StubOpenAI(reply, batches=StubBatches()) as stub:
        made = behind(stub, "negotiation", seeds="0-4", max_tokens=60)
        made.base["seats"] = {"*": made.base["seats"]["Alice"]}
        tally = run(made, tmp_path, replace(IN_BATCHES, cost=0.1), prices=prices)
    lines = [*read_rows(tmp_path), *failures_in(tmp_path)]
    spent = [prices.cost([call]) for line in lines for call in line["calls"]]
    assert "cost limit" in tally.stopped
    assert sum(spent) <= 0.1 + max(spent)
    assert tally.done > 0
    assert all(line["calls"] for line in lines), "a run that was asked nothing left no line"


def test_an_endpoint_without_batches_is_refused_before_anything_is_spent(
    tmp_path, monkeypatch, capsys
):
    with StubOpenAI(reply) as stub:
        made = behind(stub)
        content = made.model_dump(mode="json", exclude_defaults=True)
        (tmp_path / "mine.yaml").write_text(json.dumps(content), encoding="utf-8")
        coop = coop_in(tmp_path, monkeypatch, capsys)
        said = one_line(coop("sweep", "mine.yaml", "-o", "out", "--batch"), USAGE)
        assert "has no /batches" in said
        assert stub.calls == 0
        assert not failures_in(tmp_path / "out")


def test_a_sweep_of_seats_that_no_batch_takes_is_refused(tmp_path, monkeypatch, capsys):
    (tmp_path / "mini.yaml").write_text(SUITE, encoding="utf-8")
    coop = coop_in(tmp_path, monkeypatch, capsys)
    said = one_line(coop("sweep", "mini.yaml", "-o", "out", "--batch"), USAGE)
    assert "no seat has an openai: model" in said


def test_a_forecast_for_batches_has_their_price_and_says_how_many_come_in_a_row():
    cell = expand(behind(StubOpenAI(), seeds="0"))[0]
    calls = [
        {"agent": agent, "model": f"openai:{agent}", "attempt": 1, "letter": str(n), "calls": 1}
        | {"input_tokens": 10, "output_tokens": 1000}
        for agent, letters in (("Alice", 3), ("Bob", 2))
        for n in range(letters)
    ]
    pilots = {cell.condition: Finished({"calls": calls}, {"seconds": 1.0})}
    prices = Prices({"openai:*": Price(input=0, output=1)}, batch={"openai:*": 0.5})
    alone, together = (forecast([cell], pilots, prices, batch) for batch in (False, True))
    assert alone.cost is not None
    assert together.cost is not None
    assert together.cost == pytest.approx(alone.cost / 2)
    assert (alone.batches, together.batches) == (0, 3)


MOMENTS = {
    "before it is created": Stop(write=1, at=(f"{BOOK}.enter",)),
    "before its name is known": Stop(write=1, before=True, at=(f"{BOOK}.begun",)),
    "while it is in progress": Stop(write=2, at=(f"{BOOK}.begun",)),
    "while its answers are kept": Stop(write=1, at=(JOURNAL,)),  # it may keep all of them
}


@pytest.mark.slow
def test_a_letter_is_paid_for_once_whenever_the_process_is_killed(tmp_path):
    coop = warm_coop(Home(tmp_path / "home"), tmp_path)
    batches = StubBatches()
    with StubOpenAI(reply, batches=batches) as stub:
        content = behind(stub, seeds="0-3").model_dump(mode="json", exclude_defaults=True)
        (tmp_path / "mine.yaml").write_text(json.dumps(content), encoding="utf-8")
        command = ("sweep", "mine.yaml", "-o", str(tmp_path / "out"))
        for moment, stop in MOMENTS.items():
            batches.held = moment == "while it is in progress"
            assert coop.run(*command, "--batch", stop=stop).killed, moment
            if batches.held:
                refused = coop.run(*command)
                assert refused.code == USAGE
                assert "letters wait in batches: add --batch" in refused.err
            batches.held = False
        ended = coop.run(*command, "--batch")
        assert ended.code == 0, ended.err
        assert stub.calls == 0
    assert len(read_rows(tmp_path / "out")) == 4
    assert len(batches.charged) == 8
    assert set(batches.charged.values()) == {1}
