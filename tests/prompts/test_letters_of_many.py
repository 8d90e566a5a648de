"""What letters say to those who answer by fields, and to those who answer beside others."""

import json

import pytest

from shapley_coop.graphs.running import play
from shapley_coop.state.run_config import RunConfig
from tests.embedded_reply import by_schema, by_tool
from tests.scripted import Script
from tests.stub_openai import StubOpenAI

KEEP = [{"kind": "do", "agent": "Alice", "action": "keep"}]


@pytest.mark.parametrize(("answers", "way"), [("schema", "as JSON of"), ("tools", "by calling")])
@pytest.mark.usefixtures("openai_key")
async def test_who_answers_by_fields_is_told_which_element_each_of_them_is(
    answers: str, way: str
) -> None:
    with StubOpenAI(by_schema if answers == "schema" else by_tool) as stub:
        seat = {"model": "openai:Alice", "base_url": stub.base_url, "answers": answers}
        seats = {"Alice": seat, "Bob": "embedded:rational"}
        await play("shapley_coop", RunConfig.model_validate({"seats": seats}))
        letters = [request.body["messages"][1]["content"] for request in stub.requests]
    assert all(f"You answer {way} `" in letter for letter in letters)
    reason = letters[0].split("# Think, before anybody speaks")[1]
    assert "Answer inside" not in reason
    assert f"{way} `reason`, without tags: `thoughts` is `<CONSIDER>`." in reason


async def test_who_answers_beside_others_is_told_whose_offer_counts(script: Script) -> None:
    mine = f"<REJECT><PROPOSAL>{json.dumps({'clauses': KEEP})}</PROPOSAL>"
    for agent in ("Cem", "Bob"):
        script[agent, "answer"] = [mine, "<REJECT>"]
    script["Alice", "propose"] = f"<PROPOSAL>{json.dumps({'clauses': KEEP})}</PROPOSAL>"
    agents = {"agents": ["Alice", "Bob", "Cem"]}
    await play("negotiation", RunConfig(game="public_goods", params=agents, rounds=3))
    asked = script.shown_to("Cem", "answer")[0]
    rule = "only the first in turn after Alice is answered next (Bob, Cem); the other offers lapse."
    assert rule in asked
    later = script.shown_to("Alice", "answer")[0]
    assert "answer Bob's offer 2" in later
    assert "**Cem's offer (without a number: nobody is asked to answer it)**" in later
    script.letters.clear()
    await play("negotiation", RunConfig(game="prisoners_dilemma"))
    assert not any("other offers lapse" in letter for letter in script.shown_to("Bob"))
