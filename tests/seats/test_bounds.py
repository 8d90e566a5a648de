"""What a server of one's own may generate: texts that end, and names that there are."""

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from shapley_coop.amounts import parse_exact
from shapley_coop.seats.asked import names
from shapley_coop.seats.bounds import schema_for
from shapley_coop.seats.schema import schema_of
from shapley_coop.seats.seat import Seat

FACTS = {"agents": ["Ann", "Ben"], "legal": ["keep", "give"], "goods": ["coin"]}
ACTIONS = {"actions": {"Ann": ["keep", "give"], "Ben": ["keep", "accept"]}}
OWN = Seat(model="openai:small", base_url="http://127.0.0.1:8080/v1")
MOST = 2_000
"""The most repetitions that llama.cpp takes in a grammar; a schema beyond them is a 400."""

WORK = {"content", "prose", "tasks"}


def texts(schema: Any, field: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every string that a model is free to fill, with the field that holds it."""
    if isinstance(schema, list):
        for one in schema:
            yield from texts(one, field)
    elif isinstance(schema, dict):
        if schema.get("type") == "string" and not {"enum", "const"} & schema.keys():
            yield field, schema
        for key, value in schema.items():
            if key in ("properties", "$defs"):
                for name, one in value.items():
                    yield from texts(one, name)
            else:
                yield from texts(value, field)


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object of a schema, at any depth."""
    if isinstance(schema, dict):
        yield schema
    for one in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(one, dict | list):
            yield from parts(one)


@pytest.mark.parametrize("question", names())
def test_every_text_of_every_question_ends(question: str) -> None:
    form = schema_for(OWN, {**FACTS, "ask": question}, carries=False)
    if form is None:
        assert schema_of({**FACTS, "ask": question}) is None
        return
    Draft202012Validator.check_schema(form)
    free = {field: text.get("maxLength", 0) for field, text in texts(form) if field not in WORK}
    assert free
    assert all(0 < most <= MOST for most in free.values()), free


def test_an_offer_names_parties_goods_and_actions_that_there_are() -> None:
    form = schema_for(OWN, {**FACTS, **ACTIONS, "ask": "propose"}, carries=False)
    assert form
    held = {"thoughts": "", "speech": None, "notes": None}
    give = {"kind": "give", "giver": "Ann", "receiver": "Ben", "good": "coin", "quantity": 1}
    pay = {"kind": "pay", "payer": "others", "payee": "Ann", "amount": 1, "per": "once"}
    do = {"kind": "do", "agent": "everyone", "action": "keep"}
    share = {"kind": "share", "norm": None}
    clauses = [{**clause, "when": None} for clause in (give, pay, do)]

    def fits(*offered: dict[str, Any]) -> bool:
        return Draft202012Validator(form).is_valid({**held, "clauses": [*offered]})

    assert fits(*clauses)
    assert not fits({**clauses[0], "receiver": "You"})
    assert not fits({**clauses[0], "good": "gift card"})
    assert not fits({**clauses[1], "payee": "Your store"})
    for who, known in (("You", False), ("everyone", False), ("Ann", True)):
        assert fits({**clauses[2], "when": {"last": {"agent": who, "action": "keep"}}}) is known
        assert fits({**share, "fractions": [{"agent": who, "fraction": "1"}]}) is known
    assert fits({**clauses[1], "when": {"earned": "everyone", "at_least": 2}})
    assert fits({**clauses[2], "agent": "Ben", "action": "accept"})
    assert not fits({**clauses[2], "action": "coin"})


def test_only_what_a_contract_holds_can_be_dropped_from_it() -> None:
    said = {"thoughts": "", "speech": None, "clauses": None, "notes": None}

    def fits(facts: dict[str, Any], drops: list[str] | None) -> bool:
        form = schema_for(OWN, {**FACTS, **facts, "ask": "propose"}, carries=False)
        return Draft202012Validator(form or {}).is_valid({**said, "drops": drops})

    kinds = [{"kind": kind} for kind in ("do", "pay", "share")]
    in_force = {"contract": {"ids": ["c1", "c2", "c3"], "clauses": kinds}}
    assert not fits({}, ["c1"])
    assert not fits(in_force, ["c1"]), "a duty ends by itself"
    assert fits(in_force, ["c2"])
    assert not fits(in_force, ["What you say to all."])
    assert not fits(in_force, ["c2", "c3", "c2"])


def test_an_offer_has_only_the_parts_that_its_letter_teaches() -> None:
    def told(**facts: Any) -> str:
        return str(schema_of({**FACTS, "ask": "propose", **facts}))

    assert all(part in told() for part in ("'Pay'", "'Do'", "'Every'", "'when'"))
    assert "'drops'" not in told()
    assert "'drops'" not in told(contract={"ids": ["c1"], "clauses": [{"kind": "do"}]})
    assert "'drops'" in told(contract={"ids": ["c1"], "clauses": [{"kind": "give"}]})
    once = told(procedure={"turns": 1})
    assert "'Every'" not in once
    assert "'Last'" in once
    actions = told(payments=False)
    assert "'Forbid'" in actions
    assert not any(part in actions for part in ("'Pay'", "'Share'", "'Give'", "'Fraction'"))
    after = told(own_rewards={}, contract={"ids": ["c1"], "clauses": [{"kind": "pay"}]})
    assert "'Pay'" in after
    assert not any(part in after for part in ("'Do'", "'Give'", "'when'", "'per'", "'drops'"))


def test_every_list_of_every_question_ends() -> None:
    found = 0
    for question in names():
        form = schema_for(OWN, {**FACTS, "ask": question}, carries=False)
        lists = [one for one in parts(form or {}) if one.get("type") == "array"]
        assert all(0 <= one["maxItems"] <= MOST for one in lists), question
        found += len(lists)
    assert found


def test_a_programs_text_is_not_cut() -> None:
    form = schema_for(OWN, {**FACTS, "ask": "act"}, carries=True)
    assert form
    assert [text for field, text in texts(form) if field == "content"] == [{"type": "string"}]


@pytest.mark.parametrize("url", [None, "https://gateway.example/v1"])
def test_a_providers_strict_mode_is_sent_no_bound(url: str | None) -> None:
    facts = {**FACTS, "ask": "propose"}
    asked = Seat(model="openai:large", base_url=url)
    assert schema_for(asked, facts, carries=False) == schema_of(facts)


def test_names_of_very_many_agents_are_not_listed() -> None:
    crowd = {**FACTS, "agents": [f"A{number}" for number in range(1_000)], "ask": "propose"}
    form = schema_for(OWN, crowd, carries=False)
    assert form
    assert "payer" in {field for field, _ in texts(form)}


def test_an_offer_asks_agents_for_their_own_actions_and_pays_another_than_the_payer() -> None:
    three = {"agents": ["Ann", "Ben", "Cem"], "goods": ["coin"], "ask": "propose"}
    own = {"Ann": ["keep", "give"], "Ben": ["keep", "accept"], "Cem": ["keep", "give"]}
    facts = {**three, "actions": own, "procedure": {"turns": 4}}
    form = schema_for(OWN, facts, carries=False)
    assert form
    held = {"thoughts": "", "speech": None, "notes": None}

    def fits(clause: dict[str, Any]) -> bool:
        said = {**held, "clauses": [{"when": None, **clause}]}
        return Draft202012Validator(form).is_valid(said)

    for agent, actions in {**own, "everyone": ["keep"]}.items():
        for action in ("keep", "give", "accept"):
            do = {"kind": "do", "agent": agent, "action": action}
            assert fits(do) is (action in actions), (agent, action)
            event = {"agent": agent, "action": action}
            known = agent != "everyone" and action in actions
            assert fits({**do, "action": "keep", "when": {"last": event}}) is known
    payers = [*three["agents"], "others"]
    for payer in payers:
        for payee in payers:
            pay = {"kind": "pay", "payer": payer, "payee": payee, "amount": 1, "per": "once"}
            assert fits(pay) is (payer != payee)
    give = {"kind": "give", "giver": "Ann", "receiver": "Cem", "good": "coin", "quantity": 1}
    assert fits(give)
    assert not fits({**give, "receiver": "Ann"})
    assert not fits({**give, "quantity": 0})
    for turn, there in ((0, False), (1, True), (4, True), (5, False)):
        keep = {"kind": "do", "agent": "Ann", "action": "keep"}
        for when in ({"turn": turn}, {"turns": [turn]}, {"from": turn, "to": 4}):
            assert fits({**keep, "when": when}) is there, when


@pytest.mark.parametrize("question", ["answer", "contract_answer"])
@pytest.mark.parametrize("last", [False, True])
def test_an_acceptance_can_name_no_offer_but_the_letters(question: str, last: bool) -> None:
    facts = {**FACTS, "ask": question, "offer": {"revision": 3}}
    facts |= {"round": 2, "rounds": 2, "can_redraft": False} if last else {}
    said = {"thoughts": "", "speech": None, "notes": None, "decision": "accept"}
    said |= {} if last else {"clauses": None}
    for form in (schema_of(facts), schema_for(OWN, facts, carries=False)):
        check = Draft202012Validator(form or {})
        fits = {number: check.is_valid({**said, "offer": number}) for number in (1, 2, 3, 4, None)}
        assert fits == {1: False, 2: False, 3: True, 4: False, None: True}


def test_an_amount_in_text_is_a_number_and_a_norm_one_of_those_computed() -> None:
    facts = {**FACTS, "ask": "propose", "norms": ["shapley", "equal"]}
    form = schema_for(OWN, facts, carries=False)
    said = {"thoughts": "", "speech": None, "notes": None}

    def fits(clause: dict[str, Any]) -> bool:
        return Draft202012Validator(form or {}).is_valid({**said, "clauses": [clause]})

    pay = {"kind": "pay", "payer": "Ann", "payee": "Ben", "per": "reward", "when": None}
    for amount in ("1/3", "40%", 2.5, "0.5", "0.123456789"):
        assert fits({**pay, "amount": amount})
        assert 0 < parse_exact(amount) <= 3
    for amount in ("a coin", "", "1/", "1/0", "1.5/3", "0.1234567891", "1e9", "-1"):
        assert not fits({**pay, "amount": amount})
    for norm in ("shapley", "equal", "fair"):
        share = {"kind": "share", "fractions": None, "norm": norm}
        assert fits(share) is (norm != "fair")
