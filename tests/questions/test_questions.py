"""Each question, with its template: what the letter teaches is what schema, tags and form have."""

import json
import re
from typing import Any

import pytest

from shapley_coop.graphs import catalogue
from shapley_coop.prompts import write_rules
from shapley_coop.seats.asked import find_question
from shapley_coop.seats.schema import in_fields, schema_of
from tests.root import ROOT

QUESTIONS = sorted(path.stem for path in ROOT.glob("questions/[!_]*.py"))


UNTAUGHT = {("contract_sign", "speech")}
"""Words to all that letters do not ask for: a signature needs none. Thoughts need no tags either:
what is outside of all elements is private."""


def template(name: str) -> str:
    return (ROOT / "prompts" / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_tag_of_an_answer_stands_in_the_template_of_its_letter(name: str) -> None:
    every_tag_is_taught(name, template(name))


def every_tag_is_taught(name: str, told: str, *untaught: str) -> None:
    question = find_question(name)
    assert question is not None
    assert question.name == name
    for field, how in question.answer.written().items():
        for tag in re.findall(r"<(\w+)", how.told()):
            needless = field in ("thoughts", *untaught) or (name, field) in UNTAUGHT
            taught = f"<{tag}" in told or needless
            assert taught, f"{name}: {field} is <{tag}>"


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_letters_say_of_fields_names_every_field_that_has_a_tag(name: str) -> None:
    every_field_is_named(name)


def every_field_is_named(name: str) -> None:
    question = find_question(name)
    schema: Any = schema_of({"ask": name, "legal": ["door", "lever"]}, carries=True)
    assert question is not None
    said = in_fields(name, schema["properties"], called=True)
    for field in question.answer.written().keys() & schema["properties"].keys():
        assert re.search(rf'`{field}` is (`<|the |")', said)
    for value in schema["properties"].get("decision", {}).get("enum", ()):
        assert f'"{value}"' in said, f"{name}: the letter does not name {value}"


@pytest.mark.parametrize(("name", "counters"), [("answer", False), ("contract_answer", True)])
def test_what_is_void_in_the_last_round_is_in_no_form(name: str, counters: bool) -> None:
    schema: Any = schema_of({"ask": name, "round": 3, "rounds": 3})
    fields = schema["properties"]
    assert ("counter" in fields["decision"]["enum"]) == counters
    assert ("clauses" in fields) == counters
    assert ('"counter"' in in_fields(name, fields, called=True)) == counters


def test_a_draft_that_nobody_could_answer_is_in_no_form() -> None:
    last: Any = schema_of({"ask": "contract_answer", "round": 3, "rounds": 3, "can_redraft": False})
    assert "clauses" not in last["properties"]


def test_conditions_are_taught_only_where_one_can_hold() -> None:
    facts = {"ask": "propose", "payments": False, "procedure": {"turns": 1}}
    assert '"when"' not in json.dumps(schema_of(facts))
    assert '"when"' in json.dumps(schema_of({**facts, "procedure": {"turns": 2}}))
    known: dict[str, Any] = {"procedure": {"turns": 1, "steps": [], "rounds": 1, "budget": False}}
    assert '"when"' not in write_rules("table", "", {**known, "kinds": ["do", "forbid"]})
    assert '"when"' in write_rules("table", "", {**known, "kinds": ["do", "pay"]})


def test_workflows_ask_the_questions_of_the_room_and_those_of_their_extensions() -> None:
    """A seat gets the name alone, and finds there what a page asks: another would be misread."""
    seen = set()
    for workflow in catalogue.names():
        for question in catalogue.builder(workflow).askings.values():
            known = find_question(question.name)
            assert known is not None, f"{workflow} asks {question.name}, which nobody can find"
            assert known.answer is question.answer
            seen.add(question.name)
    assert {*QUESTIONS} <= seen, "each is asked by some workflow"


def test_what_nobody_asks_is_not_found() -> None:
    assert find_question("os.path") is None
    assert find_question("") is None
