"""Code and HTML in an answer: no escapes are needed, in a JSON string or in a fence."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from extensions.company.tests.company_play import company
from shapley_coop.deals.language.choices import choose
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import scan
from shapley_coop.extensions.company.artefacts import Artefact, artefact
from shapley_coop.questions.act import QUESTION as ACT
from shapley_coop.seats.answer import Action
from shapley_coop.seats.answers import tag_fields
from shapley_coop.seats.records import Answer
from shapley_coop.seats.returned import fields_of
from shapley_coop.seats.schema import in_fields, schema_of
from shapley_coop.state.run_config import RunConfig

LEGAL = ["write_code", "pass"]
PAGE = "<html>\n<s>old</s> <br/> <ACTION>click</ACTION>\n</html>"
C = '#include <stdio.h>\nint main() { if (1 < 2 && 3 > 2) puts("</s>"); }'
JAVA = 'List<String> names = new ArrayList<>(); // "quoted" \\n'


def written(answer: str) -> Artefact | str:
    message = scan(answer)
    assert not isinstance(message, Fault), message
    found = choose(message, LEGAL)
    assert not isinstance(found, Fault), found
    return artefact("Programmer", found[0], {})


@pytest.mark.parametrize("code", [C, JAVA, "a < b\n", "if x:\n    print('```')"])
def test_code_follows_in_a_fence_as_it_is(code: str) -> None:
    fence = "````" if "```" in code else "```"
    answer = f'<ACTION>write_code {{"path": "src/a.py"}}\n{fence}python\n{code}\n{fence}</ACTION>'
    made = written(f"<s>Here it is.</s>{answer}")
    assert isinstance(made, Artefact)
    assert made.content.rstrip("\n") == code.rstrip("\n")


@pytest.mark.parametrize("code", [C, PAGE, "x = '```'"])
@pytest.mark.parametrize("mark", ["````", "~~~"])
def test_a_fence_may_stand_behind_the_tag_of_an_object_that_lacks_its_content(
    code: str, mark: str
) -> None:
    fence = f"{mark}python\n{code}\n{mark}"
    assert acted(f'<ACTION>write_code {{"path": "src/a.py"}}</ACTION>\n{fence}\n') == f"{code}\n"
    whole = '<ACTION>write_code {"path": "src/a.py", "content": "x = 1"}</ACTION>'
    assert acted(f"{whole}\n\n{fence}") == "x = 1\n", "a fence behind a whole action is a remark"
    assert acted(f'<ACTION>write_code {{"path": "src/a.py"}}\n{fence}\n</ACTION>') or code == PAGE


def test_a_fence_in_the_content_of_a_field_is_written_as_it_is() -> None:
    content = '{"path": "src/a.py"}\n```python\nif a < b and c > d:\n    pass\n```'
    told = Action.decided({"action": "write_code", "content": content})
    assert acted(told) == "if a < b and c > d:\n    pass\n"
    assert fields_of("act", told) == {"action": "write_code", "content": content}


def acted(answer: str) -> str:
    """Return the text that an answer's action writes, read as in a run; "" if it is refused."""
    game = company()
    position = {**game.start(), "turn": 2}
    evaluated = SimpleNamespace(
        config=RunConfig(),
        game=game,
        legal=lambda agent: game.legal(position, agent),
        objection=lambda agent, action: game.objection(position, agent, action),
    )
    turn: Any = SimpleNamespace(evaluated=evaluated, table={"position": position})
    said = ACT.read(turn, "Programmer", Answer(answer))
    if isinstance(said, Fault) or evaluated.objection("Programmer", said.action):
        return ""
    made = artefact("Programmer", said.action, position["files"])
    assert isinstance(made, Artefact)
    return made.content


def test_html_in_a_json_string_may_even_close_the_tag_it_stands_in() -> None:
    content = PAGE.replace("\n", "\\n")
    made = written(f'<ACTION>write_code {{"path": "src/a.py", "content": "{content}"}}</ACTION>')
    assert isinstance(made, Artefact)
    assert made.content == f"{PAGE}\n"


def test_line_breaks_in_a_string_and_a_fence_around_the_object_are_read() -> None:
    made = written(
        '<ACTION>Write_Code\n```json\n{"path": "src/a.py", "content": "a\nb"}\n```</ACTION>'
    )
    assert isinstance(made, Artefact)
    assert made.content == "a\nb\n"


@pytest.mark.parametrize(
    ("carried", "wrong"),
    [
        ('{"path": "src/a.py"}', "or content in a ``` block behind it"),
        ('{"path": "src/a.py"} x = 1', "not a closed"),
        ('{"path": "src/a.py"}\n```python\nx = 1', "not a closed"),
        ('{"path": "src/a.py", "content": "x"}\n```\ny\n```', "follows the JSON"),
    ],
)
def test_what_is_neither_is_sent_back_in_one_line(carried: str, wrong: str) -> None:
    found = artefact("Programmer", f"write_code {carried}", {})
    assert isinstance(found, str)
    assert wrong in found
    assert "\n" not in found


@pytest.mark.parametrize("twice", ["", "write_code ", "Write_Code: "])
def test_the_content_in_a_field_may_repeat_the_name_of_the_action(twice: str) -> None:
    carried = {"path": "src/a.py", "content": "x = 1"}
    fields = {"action": "write_code", "content": f"{twice}{json.dumps(carried)}"}
    assert acted(tag_fields("act", fields)) == "x = 1\n"
    assert acted(tag_fields("act", {**fields, "content": carried})) == "x = 1\n"
    schema = schema_of({"ask": "act", "legal": LEGAL}, carries=True)
    assert schema is not None
    told = "`content` is the text behind the name in `<ACTION>`"
    assert told in in_fields("act", schema["properties"], called=False)
