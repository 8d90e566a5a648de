"""Shares for rails: basis points that sum to 10,000, with the hash of a proof that holds."""

import hashlib
import json
import random
from fractions import Fraction
from pathlib import Path

import pytest

from shapley_coop.extensions.bounty.basis_points import shares_of
from shapley_coop.extensions.proof.envelope import read_envelope
from tests.coop_command import USAGE, Coop, one_line

PAY = ("pay", "r", "--basis-points")


def test_shares_sum_to_10_000_and_differ_from_the_quota_by_less_than_one_point() -> None:
    for seed in range(200):
        dice = random.Random(seed)
        amounts = {f"a{n}": Fraction(dice.randint(0, 10**6), dice.randint(1, 7)) for n in range(9)}
        shares, whole = shares_of(amounts), sum(amounts.values())
        assert sum(shares.values()) == 10_000
        assert all(abs(shares[who] - 10_000 * x / whole) < 1 for who, x in amounts.items())


@pytest.mark.parametrize(
    ("amounts", "why"),
    [
        ({"Ann": Fraction(3), "Ben": Fraction(-1, 2)}, "Ben ends with -0.5: a share cannot be"),
        ({"Ann": Fraction(0), "Ben": Fraction(0)}, "there is nothing to share"),
    ],
)
def test_what_no_share_can_say_is_refused(amounts: dict[str, Fraction], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        shares_of(amounts)


def test_a_runs_shares_name_the_proof_that_others_check(coop: Coop, tmp_path: Path) -> None:
    payoffs = coop("run", "escape_room", "--name", "r", "--json").result["payoffs"]
    assert coop("keys", "new", "operator").code == 0
    assert "r.dsse.json is not here: coop prove r" in one_line(coop(*PAY), USAGE)
    assert coop("prove", "r", "--key", "operator").code == 0
    shares = coop(*PAY).result
    assert shares["basis_points"] == shares_of({a: Fraction(x) for a, x in payoffs.items()})
    payload = read_envelope((tmp_path / "r.dsse.json").read_bytes()).payload
    assert shares["proof"]["sha256"] == hashlib.sha256(payload).hexdigest()
    assert coop(*PAY, "-o", "shares.json").out == "shares.json\n"
    assert json.loads((tmp_path / "shares.json").read_text()) == shares


def test_a_proof_of_another_run_or_by_another_key_is_refused(coop: Coop, tmp_path: Path) -> None:
    for name, graph in (("r", "shapley_coop"), ("s", "llm_only")):
        assert coop("run", "escape_room", "--graph", graph, "--name", name).code == 0
    assert coop("keys", "new", "operator").code == 0
    for name in ("r", "s"):
        assert coop("prove", name, "--key", "operator").code == 0
    refused = one_line(coop(*PAY, "--proof", "s.dsse.json"), USAGE)
    assert "s.dsse.json is the proof of another run" in refused
    assert coop("keys", "new", "other").code == 0
    refused = one_line(coop(*PAY, "--key", "operator=other"), USAGE)
    assert "r.dsse.json does not hold: envelope: signed by" in refused
    export = (tmp_path / "r.dsse.json").read_bytes()
    (tmp_path / "r.dsse.json").write_bytes(export.replace(b'"payload":"eyJ', b'"payload":"eyK'))
    assert coop(*PAY).code == USAGE
    assert "give the run's name" in one_line(coop("pay", "s.dsse.json", "--basis-points"), USAGE)
