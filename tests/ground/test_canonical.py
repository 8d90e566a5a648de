"""Hashes are of canonical JSON (RFC 8785)."""

import hashlib
import tracemalloc
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.canonical import cache_key, canonical, digest
from shapley_coop.deals.language.clauses import Do, Pay
from shapley_coop.deals.language.deal import Deal, Offer, accept, put
from shapley_coop.state.storage.ledger import Line

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
LINES = [Line("world", "Zoë", 4_500_000, "reward")]


@given(payer=NAMES, payee=NAMES, action=NAMES)
def test_a_deal_between_any_names_has_the_hash_that_the_standards_library_gives(
    payer: str, payee: str, action: str
) -> None:
    deal = Deal(
        clauses=(
            Do(agent=payee, action=action),
            Pay(payer=payer, payee=payee, amount="11/2"),
        )
    )
    assert deal.hash() == hashlib.sha256(rfc8785.dumps(deal.record())).hexdigest()


def test_numbers_are_written_as_the_standard_writes_them() -> None:
    assert canonical({"b": 1.0, "a": [1e21, -0.0, 4.50]}) == b'{"a":[1e+21,0,4.5],"b":1}'
    assert canonical([2**53 - 1, 2**53]) == b'[9007199254740991,"9007199254740992"]'
    assert digest({"n": 10**30}) == digest({"n": str(10**30)})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", {1: 2}, {3}])
def test_what_is_no_json_has_no_canonical_form(value: Any) -> None:
    with pytest.raises(ValueError, match="canonical JSON"):
        canonical(value)


def _agreed(deal: Deal, revision: int, digest_: str) -> Offer:
    offer = {**put(deal, "Zoë", revision), "hash": digest_}
    signed = accept(offer, "Bob", revision, digest_)  # type: ignore[arg-type]
    assert isinstance(signed, dict)
    return signed


def test_what_is_kept_of_a_cache_key_is_as_long_as_it() -> None:
    names = [f"Agent{number}" for number in range(1000)]
    tracemalloc.start()
    kept = [cache_key([*names, number]) for number in range(20)]
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 2 * sum(map(len, kept))
