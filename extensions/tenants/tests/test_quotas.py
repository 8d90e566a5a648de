"""What an operator's runs may use: tokens and money, compared when a run is created."""

import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from langgraph_sdk import Auth

from extensions.tenants.tests.tenants import ANN, BOB
from shapley_coop.extensions.server.serving.tenancy import PUBLIC_KEY, TOKENS
from shapley_coop.extensions.tenants import owning, quotas
from shapley_coop.extensions.tenants.callers import Caller
from shapley_coop.extensions.tenants.limits import limits
from shapley_coop.extensions.tenants.policy import complaint_about
from shapley_coop.extensions.tenants.quotas import (
    PRICES,
    QUOTA_KEY,
    Ownerless,
    Quota,
    UsedUp,
    beyond,
    check_new,
    price_list,
    quota_by_name,
    quota_of,
)
from shapley_coop.seats.records import Answer, Entry
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.owners import OWNER_KEY, acting_for

MILLION = 1_000_000


@pytest.fixture
def prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "prices.yaml"
    path.write_text("openai:small: {input: 0.25, output: 2.0}\n")
    monkeypatch.setenv(PRICES, str(path))
    return path


def answered(owner: str, model: str, read: int, written: int) -> None:
    """One answer of an owner's run, in the journal."""
    answer = Answer("Yes.", cut=False, input_tokens=read, output_tokens=written, seconds=0.0)
    with acting_for(owner, f"thread of {owner}"):
        entry = Entry("Alice", "act", model, f"{model} {read}", "a letter", 1, answer, "n")
        home().journal.write(f"episode of {owner}", entry)


@pytest.mark.usefixtures("prices")
def test_money_is_counted_by_the_price_list_and_each_owner_apart() -> None:
    answered("ann", "openai:small", 2 * MILLION, MILLION)  # 0.50 + 2.00 USD
    answered("ann", "embedded:rational", MILLION, MILLION)
    answered("ann", "human", 0, 0)
    assert beyond("ann", Quota(usd=2.51)) is None
    refused = beyond("ann", Quota(usd=2.5))
    assert refused == (429, "Your runs have cost 2.50 USD (limit 2.50)")
    assert beyond("bob", Quota(usd=0.01)) is None
    assert beyond("ann", Quota()) is None
    assert beyond("ann", Quota(tokens=5 * MILLION + 1)) is None
    assert beyond("ann", Quota(tokens=5 * MILLION, usd=100)) == (
        429,
        "Your runs have used 5000000 tokens (limit 5000000)",
    )


def test_what_has_no_price_is_not_taken_for_free(prices: Path) -> None:
    answered("ann", "openai:large", 1, 1)
    refused = beyond("ann", Quota(usd=100))
    assert refused is not None
    assert refused.status == 403
    assert "'openai:large' has no price here" in refused.detail
    prices.write_text("openai:*: {input: 1, output: 1}\n")
    assert beyond("ann", Quota(usd=100)) is None, "the list is read again when it changes"


@pytest.mark.usefixtures("prices")
def test_a_model_without_a_price_is_refused_before_it_is_asked() -> None:
    def asks(model: str, **limit: float) -> str:
        ann = Caller(identity="ann", role="operator", **limit)
        body = {"input": {"room": {"seats": {"Alice": {"model": model}}}}}
        return complaint_about(json.dumps(body).encode(), ann)

    assert "COOP_PRICES has to list it" in asks("openai:large", usd=1)
    assert asks("openai:large") == ""
    for known in ("openai:small", "embedded:greedy", "human"):
        assert asks(known, usd=1) == ""


@pytest.mark.usefixtures("prices")
async def test_a_run_is_refused_with_the_reason_when_the_money_is_spent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answered("ann", "openai:small", 2 * MILLION, MILLION)
    monkeypatch.setenv("COOP_MAX_USD", "2")

    async def start(user: Any) -> Any:
        context = SimpleNamespace(user=user, action="create_run")
        return await owning.own_and_bounded(context, {"kwargs": {}})  # type: ignore[arg-type]

    class Named(dict[str, Any]):
        identity = "ann"

    for user in (Named(quota_of(Caller(identity="ann", role="operator"))._asdict()), Named()):
        monkeypatch.setattr(quotas, "known_as", lambda _: [Caller(identity="ann", role="operator")])
        with pytest.raises(Auth.exceptions.HTTPException) as refused:
            await start(user)
        assert refused.value.status_code == 429
        assert refused.value.detail == "Your runs have cost 2.50 USD (limit 2.00)"


def test_a_cron_starts_runs_within_the_limits_of_its_owners_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It shows no token: without one that is valid it starts none, else the strictest hold."""
    monkeypatch.delenv(PUBLIC_KEY, raising=False)
    ann = {"identity": "ann", "role": "operator"}
    tokens = tmp_path / "tokens.yaml"
    monkeypatch.setenv(TOKENS, str(tokens))
    lines = [{**ann, "token": ANN, "tokens": 20}, {**ann, "token": BOB, "tokens": 50, "usd": 3}]
    tokens.write_text(yaml.safe_dump(lines))
    assert quota_by_name("ann") == Quota(tokens=20, usd=3)
    tokens.write_text(yaml.safe_dump([lines[1]]))
    assert quota_by_name("ann") == Quota(tokens=50, usd=3)
    tokens.write_text(yaml.safe_dump([{**lines[1], "expires": "2020-01-01T00:00:00Z"}]))
    assert quota_by_name("ann") is None


@pytest.mark.usefixtures("prices")
async def test_a_run_that_waited_is_compared_again_before_its_first_step() -> None:
    """Else a queue that is filled while nothing is used could use any amount."""
    place = {OWNER_KEY: "ann", QUOTA_KEY: [0, 2.0]}
    await check_new(place)
    answered("ann", "openai:small", 2 * MILLION, MILLION)
    with pytest.raises(UsedUp, match=r"have cost 2\.50 USD \(limit 2\.00\)"):
        await check_new(place)
    await check_new({OWNER_KEY: "bob", QUOTA_KEY: [0, 2.0]})
    await check_new({})


async def test_where_there_are_tenants_a_run_of_nobody_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = {"thread_id": "t", "run_id": "r"}
    await check_new(place)
    monkeypatch.setenv(TOKENS, "tokens.yaml")
    with pytest.raises(Ownerless, match="has no owner"):
        await check_new(place)
    await check_new({**place, OWNER_KEY: "ann"})


@pytest.mark.parametrize("given", ["-1", "nan", "inf", "much"])
def test_a_limit_in_money_is_an_amount(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COOP_MAX_USD", given)
    with pytest.raises(ValueError, match=r"COOP_MAX_USD=.*: give a positive number"):
        limits()
    with pytest.raises(ValueError, match="usd"):
        Caller(identity="ann", role="operator", usd=math.nan)


def test_prices_that_cannot_be_read_are_told_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PRICES, str(tmp_path / "none.yaml"))
    with pytest.raises(ValueError, match=r"COOP_PRICES: .*none\.yaml cannot be read"):
        price_list()
