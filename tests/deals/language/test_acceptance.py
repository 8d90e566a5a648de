"""An acceptance binds to the offer that its author's letter showed, and to no other."""

import asyncio

from shapley_coop.deals.language.clauses import Do
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.nodes.contract.count import count_signatures
from shapley_coop.nodes.table.tally import tally
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.table import Table
from shapley_coop.state.topics import Topic

PLAN = Topic("plan", rules=())
SHOWN = put(Deal(clauses=(Do(agent="Bob", action="lever"),)), "Alice", 1)
OTHER = put(Deal(clauses=(Do(agent="Bob", action="door"),)), "Alice", 1)


def after(standing) -> dict:
    """What the tally finds when Bob has accepted what he was shown."""
    accepts = {"revision": SHOWN["revision"], "hash": SHOWN["hash"]}
    table: Table = {
        "settings": RunConfig(rounds=1).resolve().model_dump(mode="json"),
        "agents": ["Alice", "Bob"],
        "speaker": "Alice",
        "round": 1,
        "revision": 1,
        "offer": standing,
        "answers": {"Bob": {"act": "accept", "text": "gladly", "accepts": accepts}},
        "talk": [],
        "record": [],
    }
    return asyncio.run(tally(PLAN)(table))


def test_the_offer_that_was_shown_is_agreed():
    assert after(SHOWN)["verdict"] == "agreed"


def test_an_offer_exchanged_after_the_answer_binds_nobody():
    found = after(OTHER)
    assert found["verdict"] == "no_deal"
    assert [(said["act"], said["label"]) for said in found["talk"]] == [("pass", "STALE")]


def signed(standing) -> dict:
    """What the count finds when both have signed what they were shown."""
    accepts = {"revision": SHOWN["revision"], "hash": SHOWN["hash"]}
    answer = {"act": "accept", "text": "", "accepts": accepts}
    table: Table = {
        "agents": ["Alice", "Bob"],
        "round": 1,
        "offer": {**standing, "by": "summariser", "accepted": ["summariser"]},
        "answers": {"Alice": answer, "Bob": answer},
        "talk": [],
        "record": [],
    }
    return asyncio.run(count_signatures(table))


def test_the_contract_that_was_shown_is_signed():
    assert signed(SHOWN)["verdict"] == "signed"


def test_a_contract_exchanged_after_the_signatures_binds_nobody():
    found = signed(OTHER)
    assert (found["verdict"], found["offer"]) == ("unsigned", None)
    assert [(said["act"], said["label"]) for said in found["talk"]] == [("pass", "STALE")] * 2
