"""Two logs are compared line by line: all faults are named, none is false, both get the same."""

import doctest
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from extensions.reconcile.tests.faulty_logs import PARTIES, TERMS, drawn, write
from shapley_coop.canonical import canonical
from shapley_coop.extensions import reconcile as package
from shapley_coop.extensions.reconcile import matching
from shapley_coop.extensions.reconcile.contract import OutcomeContract, contract_in
from shapley_coop.extensions.reconcile.pairing import Alone, pairs
from shapley_coop.extensions.reconcile.verdict import outcome, reconcile

CONTRACT = OutcomeContract.model_validate(TERMS)


def named(verdict: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The differences, as the pairs' maker tells them."""
    return [
        (
            one["kind"],
            one["party"],
            one["in_dispute"],
            tuple(one["at"][party]["id"] if party in one["at"] else None for party in PARTIES),
        )
        for one in verdict["differences"]
    ]


def mirrored(value: Any) -> Any:
    """A verdict in which each party's name stands for the other's."""
    swap = dict(zip(PARTIES, PARTIES[::-1], strict=True))
    if isinstance(value, dict):
        return {swap.get(key, key): mirrored(one) for key, one in value.items()}
    if isinstance(value, list):
        return [mirrored(one) for one in value]
    return swap.get(value, value) if isinstance(value, str) else value


def test_all_faults_of_200_pairs_are_named_none_is_false_and_both_orders_mirror(
    tmp_path: Path,
) -> None:
    kinds: set[str] = set()
    for seed in range(200):
        pair, dice = drawn(seed), random.Random(seed)
        logs = [
            write(tmp_path / f"{name}.{dice.choice(['csv', 'jsonl'])}", lines)
            for name, lines in zip(PARTIES, pair.logs, strict=True)
        ]
        verdict = reconcile(CONTRACT, logs)
        assert sorted(named(verdict), key=str) == sorted(pair.differences, key=str), seed
        one = sum(open_ for *_, open_, _ in pair.differences)
        assert (verdict["both"], verdict["one"]) == (pair.both, one), seed
        assert Fraction(verdict["agreed"]) == pair.both * Fraction("0.99")
        assert Fraction(verdict["in_dispute"]) == one * Fraction("0.99")
        assert canonical(reconcile(CONTRACT, logs[::-1])) == canonical(mirrored(verdict)), seed
        kinds |= verdict["kinds"].keys()
    assert kinds == {
        *("missing", "counted twice", "late", "renamed id", "reversed", "disputed"),
        "outside the window",
    }


def test_events_under_other_ids_are_paired_one_to_one_with_their_like(tmp_path: Path) -> None:
    moment = "2026-11-05T00:00:00Z"
    line = {"time": moment, "recorded": moment, "status": "resolved", "channel": "chat"}
    line |= {"customer": "Ann", "of": ""}

    def log(name: str, ids: str, back: str) -> Path:
        reversal = {**line, "id": "r", "status": "reopened", "of": back}
        return write(tmp_path / name, [*({**line, "id": one} for one in ids), reversal])

    like = reconcile(CONTRACT, [log("ours.csv", "ab", "a"), log("theirs.jsonl", "xy", "y")])
    assert named(like) == [
        ("renamed id", None, False, ("a", "y")),
        ("renamed id", None, False, ("b", "x")),
    ]
    more = reconcile(CONTRACT, [log("ours.csv", "abc", "r"), log("theirs.jsonl", "xy", "r")])
    unknown = ("unknown id", None, False, ("r", "r"))
    assert named(more) == [
        ("renamed id", None, False, ("a", "x")),
        ("renamed id", None, False, ("b", "y")),
        ("missing", "Shop", True, ("c", None)),
        unknown,
    ]
    one = reconcile(CONTRACT, [log("ours.csv", "abc", "q"), log("theirs.jsonl", "abc", "a")])
    assert named(one) == [
        ("reversed", "Shop", True, ("a", "a")),
        ("unknown id", "Acme", False, ("q", None)),
    ]
    assert one["differences"][1]["at"] == {"Acme": {"id": "q", "lines": [5]}}
    assert (one["agreed"], one["in_dispute"]) == ("1.98", "0.99")


def test_of_events_with_the_same_fields_the_nearest_in_time_are_paired(tmp_path: Path) -> None:
    def log(name: str, times: dict[str, str]) -> Path:
        told = {one: f"2026-11-{time}:00Z" for one, time in times.items()}
        line = {"status": "resolved", "channel": "chat", "customer": "Ann", "of": ""}
        lines = [line | {"id": i, "time": t, "recorded": t} for i, t in told.items()]
        return write(tmp_path / name, lines)

    for ours, theirs, expected in (
        (
            {"n1": "03T09:00", "n2": "05T09:00"},
            {"s9": "05T09:00"},
            {("n1", None), ("n2", "s9")},
        ),
        (
            {"n1": "03T09:00", "n2": "05T08:59", "n3": "05T09:02"},
            {"s1": "05T09:00", "s2": "05T09:01", "s3": "05T09:02"},
            {("n1", "s2"), ("n2", "s1"), ("n3", "s3")},
        ),
        (
            {"n1": "03T09:00", "n2": "04T09:00"},
            {"s1": "04T10:00", "s2": "04T20:00", "s3": "03T08:00"},
            {("n1", "s3"), ("n2", "s1"), (None, "s2")},
        ),
    ):
        logs = [log("a.csv", ours), log("b.csv", theirs)]
        verdict = reconcile(CONTRACT, logs)
        assert {pair for *_, pair in named(verdict)} == expected
        assert canonical(reconcile(CONTRACT, logs[::-1])) == canonical(mirrored(verdict))


def test_pairs_are_those_of_comparing_each_with_each() -> None:
    for seed in range(300):
        dice = random.Random(seed)
        events = [
            Alone(dice.randrange(9), 0, f"{n:02}", dice.randrange(2))
            for n in range(dice.randrange(9))
        ]
        found = [*pairs(events)]
        swapped = [*pairs([one._replace(side=1 - one.side) for one in reversed(events)])]
        assert sorted(found) == sorted(pair[::-1] for pair in swapped)
        times = {one.id: one.time for one in events}
        left = {side: [one.time for one in events if one.side == side] for side in (0, 1)}
        for ours, theirs in sorted(found, key=lambda pair: abs(times[pair[0]] - times[pair[1]])):
            apart = abs(times[ours] - times[theirs])
            assert apart == min(abs(a - b) for a in left[0] for b in left[1]), seed
            left[0].remove(times[ours])
            left[1].remove(times[theirs])
        assert not left[0] or not left[1]


@pytest.mark.parametrize(
    ("terms", "both", "one", "agreed", "in_dispute", "due", "open_", "verdict"),
    [
        ({}, 3, 0, "2.97", "0", "2.97", "0", "agreed"),
        ({}, 3, 1, "2.97", "0.99", "2.97", "0.99", "in dispute"),
        ({"tolerance": "25%"}, 3, 1, "2.97", "0.99", "2.97", "0", "within tolerance"),
        ({"tolerance": "24%"}, 3, 1, "2.97", "0.99", "2.97", "0.99", "in dispute"),
        ({"price": "1/3"}, 1, 1, "1/3", "1/3", "1/3", "1/3", "in dispute"),
        ({"cap": 3}, 3, 2, "2.97", "0.03", "2.97", "0.03", "in dispute"),
        ({"cap": 2}, 3, 2, "2", "0", "2", "0", "in dispute"),
        ({"make_good": {"guaranteed": 5, "amount": 2}}, 3, 1, "0", "2.99", "0", "2.99", ""),
        ({"make_good": {"guaranteed": 5, "amount": 2}}, 1, 1, "-4.02", "2.99", "-4.02", "2.99", ""),
        ({"make_good": {"guaranteed": 5, "amount": 2}}, 3, 2, "0", "5.98", "0", "5.98", ""),
        ({"make_good": {"guaranteed": 5, "amount": 2}}, 5, 0, "4.95", "0", "4.95", "0", "agreed"),
    ],
)
def test_amounts_are_exact(
    terms: dict[str, Any],
    both: int,
    one: int,
    agreed: str,
    in_dispute: str,
    due: str,
    open_: str,
    verdict: str,
) -> None:
    found = outcome(contract_in(TERMS | terms, "terms"), both, one)
    assert found == {
        "both": both,
        "one": one,
        "agreed": agreed,
        "in_dispute": in_dispute,
        "due": due,
        "open": open_,
        "verdict": verdict or "in dispute",
    }


def test_the_packages_example_prints_what_it_says() -> None:
    tried = doctest.testmod(package)
    assert (tried.failed, tried.attempted > 5) == (0, True)


HEAD = "id,time,recorded,status,channel,customer,of\n"
GOOD = "a,2026-11-05T00:00:00Z,2026-11-05T00:00:00Z,resolved,chat,Ann,\n"
OBJECT = '{"id": "a", "time": "2026-11-05T00:00:00Z", "status": "opened"}\n'


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("a.jsonl", OBJECT + '{"id": "b",\n', "line 2: it is no JSON: "),
        ("a.jsonl", OBJECT + "\n[1]\n", "line 3: it is no JSON object: give"),
        ("a.jsonl", '{"id": "a", "id": "b"}\n', "line 1: the key 'id' occurs twice"),
        ("a.jsonl", OBJECT + '{"id": NaN}\n', "line 2: NaN is not a number"),
        ("a.jsonl", '{"id": "a", "status": "opened"}\n', "line 1: it has no 'time'"),
        ("a.jsonl", OBJECT.replace('"a"', '""'), "line 1: id: it is empty: give the id"),
        ("a.jsonl", OBJECT.replace('"a"', "1.5").replace("1.5", "[1]"), "line 1: id: give text"),
        ("a.jsonl", OBJECT.replace('"a"', r'"\ud800"'), "line 1: id: .* surrogates not allowed"),
        ("a.jsonl", OBJECT.replace("Z", ""), "line 1: time: '2026-11-05T00:00:00' has no zone"),
        ("a.jsonl", OBJECT.replace("Z", "+25:00"), "line 1: time: .* is no time: give a time"),
        ("a.jsonl", OBJECT.replace("Z", " CET"), "line 1: time: .* is no time: give a time"),
        ("a.jsonl", OBJECT.replace('"2026-11-05T00:00:00Z"', "1762300800"), "'1762300800' is no"),
        ("a.csv", "", "it is empty: give a header with id, time, .*, recorded, of$"),
        ("a.csv", HEAD.replace("of", "id"), "line 1: the column 'id' occurs twice in the header"),
        ("a.csv", HEAD.replace("status", "state"), "line 1: the header has no column 'status'"),
        ("a.csv", HEAD + GOOD + "b,c\n", "line 3: it has 2 cells, but the header has 7"),
        ("a.csv", HEAD + GOOD.replace("Z,r", ",r"), "line 2: recorded: .* has no zone of time"),
        ("a.csv", HEAD + 'a,"b"c\n', "line 2: ',' expected after '\"'"),
    ],
)
def test_a_bad_line_is_named_with_its_file_and_number(
    name: str, text: str, why: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    sound = write(tmp_path / "sound.csv", [])
    with pytest.raises(ValueError, match=f"{name}: .*{why}") as refused:
        reconcile(CONTRACT, [sound, tmp_path / name])
    assert "line 0" not in str(refused.value)


def test_bytes_that_are_no_text_and_endless_lines_are_refused(tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    for content, why in ((b"\xff\n", "it is not UTF-8"), (b" " * 1_000_001, "more than 1000000")):
        log.write_bytes(content)
        with pytest.raises(ValueError, match=f"line 1: .*{why}"):
            reconcile(CONTRACT, [log, log])
    with pytest.raises(ValueError, match="cannot be read as a log: No such file"):
        reconcile(CONTRACT, [tmp_path / "none.csv", log])


def test_logs_that_have_nothing_in_common_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "MOST_DIFFERENCES", 2)
    (tmp_path / "one.csv").write_text(HEAD + GOOD, encoding="utf-8")
    (tmp_path / "two.csv").write_text(HEAD + GOOD.replace("Ann", "Ben").replace("a,", "b,"))
    logs = [tmp_path / "one.csv", tmp_path / "two.csv"]
    assert reconcile(CONTRACT, logs)["kinds"] == {"missing": 2}
    monkeypatch.setattr(matching, "MOST_DIFFERENCES", 1)
    with pytest.raises(ValueError, match=r"two.csv differ in more than 1 lines"):
        reconcile(CONTRACT, logs)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"price": 0}, "price: it has to be greater than 0"),
        ({"parties": ["Acme", "Acme"]}, "two different names"),
        ({"parties": ["A=b", "Shop"]}, "parties"),
        ({"currency": "XXY"}, "give a code of ISO 4217"),
        ({"window": {"from": "2026-11-01", "to": "2026-12-01"}}, "has no zone of time"),
        ({"window": {**TERMS["window"], "from": "2027-01-01T00:00:00Z"}}, "from has to be before"),
        ({"final": "1d"}, "within is longer than 1d"),
        ({"final": "soon"}, "final: give a whole number of s, m, h or d"),
        ({"counts": {}}, "counts: it has 0: give 1 or more"),
        ({"counts": {"score": 0.5}}, "counts.score: give text, a whole number"),
        ({"tolerence": "2%"}, "no setting 'tolerence': did you mean 'tolerance'"),
    ],
    ids=str,
)
def test_a_contract_is_refused_in_one_line(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=f"^terms.yaml: .*{why}") as refused:
        contract_in(TERMS | wrong, "terms.yaml")
    assert "\n" not in str(refused.value)


BIG = """
import sys
from pathlib import Path
from extensions.reconcile.tests.test_reconcile import CONTRACT
from shapley_coop.extensions.reconcile.verdict import reconcile
verdict = reconcile(CONTRACT, [Path(one) for one in sys.argv[1:]])
print(verdict["both"], verdict["kinds"])
status = Path("/proc/self/status").read_text()  # getrusage would count the test's own process
print(status.partition("VmHWM:")[2].split()[0])
"""


@pytest.mark.slow
def test_a_million_lines_take_little_memory(tmp_path: Path) -> None:
    line = "{0},2026-11-05T00:00:00Z,2026-11-05T00:00:00Z,resolved,chat,{0},\n"
    for name, missing in (("ours", 7), ("theirs", 9)):
        with (tmp_path / f"{name}.csv").open("w", encoding="utf-8") as file:
            file.write(HEAD)
            file.writelines(line.format(n) for n in range(500_000) if n != missing)
    ran = subprocess.run(
        [sys.executable, "-c", BIG, str(tmp_path / "ours.csv"), str(tmp_path / "theirs.csv")],
        capture_output=True,
        text=True,
        check=True,
    )
    found, kilobytes = ran.stdout.splitlines()
    assert found == "499998 {'missing': 2}"
    assert int(kilobytes) < 500_000
