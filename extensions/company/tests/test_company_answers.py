"""Code and HTML in an answer: no escapes are needed, in a JSON string or in a fence."""

import pytest

from shapley_coop.deals.language.choices import choose
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import scan
from shapley_coop.extensions.company.artefacts import Artefact, artefact

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


@pytest.mark.parametrize("code", [C, JAVA, PAGE.replace("ACTION", "b")])
def test_a_fence_right_after_the_closed_tag_is_read_as_the_content(code: str) -> None:
    answer = f'<ACTION>write_code {{"path": "src/a.py"}}</ACTION>\n```python\n{code}\n```\nDone.'
    made = written(answer)
    assert isinstance(made, Artefact)
    assert made.content == f"{code}\n"


def test_a_fence_after_an_action_that_has_its_content_is_sent_back() -> None:
    whole = '<ACTION>write_code {"path": "src/a.py", "content": "x"}</ACTION>'
    assert "follows the JSON" in str(written(f"{whole}\n```\ny\n```"))
    assert isinstance(written(f"{whole}\nAs in `y`."), Artefact)


def test_a_fence_of_tildes_is_read_too() -> None:
    made = written('<ACTION>write_code {"path": "src/a.py"}\n~~~\na < b\n~~~\n</ACTION>')
    assert isinstance(made, Artefact)
    assert made.content == "a < b\n"


@pytest.mark.parametrize("code", [C, JAVA, "a < b\n", "if x:\n    print('```')"])
def test_code_follows_in_a_fence_as_it_is(code: str) -> None:
    fence = "````" if "```" in code else "```"
    answer = f'<ACTION>write_code {{"path": "src/a.py"}}\n{fence}python\n{code}\n{fence}</ACTION>'
    made = written(f"<s>Here it is.</s>{answer}")
    assert isinstance(made, Artefact)
    assert made.content.rstrip("\n") == code.rstrip("\n")


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
        ('{"path": "src/a.py"}', "path, content"),
        ('{"path": "src/a.py"}', "or its content in a fence of ``` behind it"),
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
