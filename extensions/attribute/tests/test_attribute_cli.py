"""`coop attribute`: an app in a file, a page; the bundled demo."""

import json
import re
from io import StringIO
from pathlib import Path

import pytest

from extensions.attribute.tests.attributed_apps import team
from shapley_coop.extensions.attribute import attribute, demo
from shapley_coop.extensions.attribute.page import page as page_of
from tests.brought import brought_by
from tests.coop_command import Coop, one_line

APP = """\
from typing import TypedDict
from langgraph.graph import START, StateGraph

class Text(TypedDict, total=False):
    topic: str
    facts: str
    text: str

page = StateGraph(Text)
page.add_node("search", lambda s: {"facts": f"{s['topic']} fly"})
page.add_node("write", lambda s: {"text": f"Know that {s['facts']}."})
page.add_edge(START, "search")
page.add_edge("search", "write")
graph = page.compile()

def score(state):
    return len(state["text"].split()) - 2

def by_hand(state):
    return {"facts": "nothing"}
"""


@pytest.fixture
def coop(coop: Coop, tmp_path: Path) -> Coop:
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    (tmp_path / "in.json").write_text('{"topic": "owls"}', encoding="utf-8")
    lines = '{"topic": "owls"}\n\n{"topic": "bees and bats"}\n'
    (tmp_path / "inputs.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "texts.json").write_text('["owls"]', encoding="utf-8")
    return coop


GIVEN = ("attribute", "app.py:graph", "--agents", "search,write", "--score", "app.py:score")


def test_an_app_in_a_file_is_attributed(coop: Coop) -> None:
    # Alone, a blank fact leaves "Know that ." and a blank text is two words below nothing.
    found = coop(*GIVEN, "--input", "in.json", "--json").result
    assert found["worth"] == {"": -2, "search": -2, "write": 1, "search,write": 2}
    assert found["values"] == {"search": 0.5, "write": 3.5}
    assert found["calls"]["made"] == 3
    assert coop(*GIVEN, "--input", "in.json", "--json").result["calls"]["made"] == 0


def test_several_inputs_have_errors_and_the_table_says_what_was_done(coop: Coop) -> None:
    ended = coop(*GIVEN, "--input", "inputs.jsonl")
    assert ended.code == 0
    assert "2 inputs" in ended.out
    assert "search,write" in ended.out
    assert "agent calls made" in ended.out
    warning, first, recorded = ended.err.splitlines()
    assert warning.startswith("nodes are run again without some agents")
    assert first == "forecast: leave-one-out, 2 agents, 6 plays of the app: about 6 new agent calls"
    assert recorded.endswith("at most 2 new agent calls, none of which asks a model (4 kept)"), (
        "search is asked as before"
    )


@brought_by("values")
def test_coop_credit_reads_the_json(coop: Coop, tmp_path: Path) -> None:
    found = coop(*GIVEN, "--input", "in.json", "--json").result
    (tmp_path / "credit.json").write_text(json.dumps(found), encoding="utf-8")
    assert coop("credit", "credit.json", "--json").result["values"] == found["values"]
    by_banzhaf = coop("credit", "credit.json", "--value", "banzhaf", "--json").result
    assert by_banzhaf["values"] == found["values"], "of two agents they are the same"


def test_changed_code_is_asked_anew(coop: Coop, tmp_path: Path) -> None:
    coop(*GIVEN, "--input", "in.json")
    (tmp_path / "app.py").write_text(APP.replace("fly", "hunt by night"), encoding="utf-8")
    for name in [n for n in __import__("sys").modules if n.startswith("coop_app_")]:
        del __import__("sys").modules[name]  # another process reads the file anew
    found = coop(*GIVEN, "--input", "in.json", "--json").result
    assert found["calls"]["made"] == 3
    assert found["worth"]["search,write"] == 4


def test_two_graphs_of_a_file_share_no_calls(coop: Coop, tmp_path: Path) -> None:
    text = f"{APP.replace(' fly', ' swim')}\nswimming = graph\n{APP[APP.index('page = ') :]}"
    (tmp_path / "both.py").write_text(text, encoding="utf-8")
    given = (*GIVEN[2:], "--input", "in.json", "--json")
    assert coop("attribute", "both.py:graph", *given).result["calls"]["made"] == 3
    assert coop("attribute", "both.py:swimming", *given).result["calls"]["made"] == 3


def test_what_stands_in_can_be_chosen_for_each_agent(coop: Coop) -> None:
    choice = ("--absent", "search=app.py:by_hand", "--absent", "write=blank")
    found = coop(*GIVEN, "--input", "in.json", *choice, "--json").result
    assert found["absent"] == {"search": "function by_hand", "write": "blank"}
    said = coop(*GIVEN, "--input", "in.json", *choice).out
    assert "absent agents: function by_hand for search, blank for write" in " ".join(said.split())
    assert found["worth"]["write"] == 1


def test_the_forecast_counts_what_this_question_has_kept(coop: Coop) -> None:
    assert "about 3 new" in coop(*GIVEN, "--input", "in.json", "--forecast").out
    coop(*GIVEN, "--input", "in.json")
    assert "no new agent calls (3 kept)" in coop(*GIVEN, "--input", "in.json", "--forecast").out
    again = coop(*GIVEN, "--input", "in.json").err
    assert again.count("no new agent calls (3 kept)") == 2, "before and after the recorded run"
    # The second input is new, and so is every other list of agents.
    both = coop(*GIVEN, "--input", "inputs.jsonl", "--forecast").out
    assert "at most 3 new agent calls (3 kept)" in both
    alone = (*GIVEN[:3], "write", *GIVEN[4:], "--input", "in.json", "--forecast")
    assert "about 1 new" in coop(*alone).out


def test_the_forecast_alone_runs_nothing(coop: Coop, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(APP.replace("{s['topic']} fly", "{1 / 0}"), encoding="utf-8")
    ended = coop(*GIVEN, "--input", "in.json", "--forecast")
    assert (ended.code, ended.out) == (
        0,
        "forecast: 2 agents, 4 plays of the app: about 3 new agent calls\n",
    )


class Person(StringIO):
    """Somebody at a terminal who answers."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("answer", [pytest.param("y", marks=pytest.mark.slow), "n"])
def test_a_person_is_asked_whether_to_go_on(
    answer: str, coop: Coop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Person(f"{answer}\n"))
    ended = coop("attribute", "demo")
    assert (
        "Shapley for interactions: 160 plays of the app, 90 new agent calls, 2486 tokens, go on?"
        in ended.err
    )
    found = ended.out.strip()
    assert found.startswith("shapley of demo" if answer == "y" else "leave-one-out of demo")


@pytest.mark.slow
def test_where_nobody_is_asked_the_limit_holds(coop: Coop) -> None:
    ended = coop("attribute", "demo", "--max-calls", "160", "--yes")
    assert ended.out.startswith("leave-one-out of demo")
    assert "2486 tokens: not played, --max-calls 90 plays them" in ended.err
    assert coop("attribute", "demo", "--max-calls", "90").out.startswith("shapley of demo")


def test_what_people_are_told_is_in_a_file_or_a_function(coop: Coop, tmp_path: Path) -> None:
    asking = APP.replace(
        '{"text": f"Know that {s[\'facts\']}."}', '{"text": interrupt(s["facts"])}'
    )
    told = "def told(asked):\n    return f'{asked} by night'\n"
    source = f"from langgraph.types import interrupt\n{asking}\n{told}"
    (tmp_path / "asking.py").write_text(source, encoding="utf-8")
    (tmp_path / "told.json").write_text('{"write": "owls fly far by night"}', encoding="utf-8")
    given = ("attribute", "asking.py:graph", *GIVEN[2:5], "asking.py:score", "--input", "in.json")
    refused = coop(*given).err.splitlines()[-1]
    assert "asks a person (interrupt): give --answers, a file that holds" in refused
    by_file = coop(*given, "--answers", "told.json", "--json").result
    assert by_file["worth"]["search,write"] == by_file["worth"]["write"] == 3
    by_function = coop(*given, "--answers", "asking.py:told", "--json").result
    assert by_function["worth"] == {"": -2, "search": -2, "write": 0, "search,write": 2}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*GIVEN, "--input", "in.json", "--keep", "fact"), "no key 'fact': did you mean 'facts'?"),
        ((*GIVEN, "--input", "in.json", "--absent", "wirte=blank"), "did you mean 'write'?"),
        ((*GIVEN[:3], "serch", *GIVEN[4:], "--input", "in.json"), "did you mean 'search'?"),
        (("attribute", "no.py:graph", *GIVEN[2:], "--input", "in.json"), "there is no file no.py"),
        (("attribute", "app.py:graph"), "give --score path.py:score, or try"),
        ((*GIVEN[:2], *GIVEN[4:], "--agents", "search"), "give --input in.json, or --trace"),
        ((*GIVEN, "--input", "none.json"), "none.json: cannot be read as inputs"),
        ((*GIVEN, "--input", "in.json", "--absent", "gone"), "--absent gone: give path.py:name"),
        (
            (*GIVEN, "--input", "texts.json"),
            "texts.json: input 1 is 'owls': an input is an object with keys of the state, such as",
        ),
        (("attribute", "app.py:nothing", *GIVEN[2:], "--input", "in.json"), "has no 'nothing'"),
        (("attribute", "app.py:Text", *GIVEN[2:], "--input", "in.json"), "the app is a"),
        ((*GIVEN, "--input", "in.json", "--cache", "in.json"), "the kept calls in in.json cannot"),
        (("attribute", "in.json:graph", *GIVEN[2:], "--input", "in.json"), "is not a Python file"),
    ],
)
def test_what_is_wrong_is_one_line(arguments: tuple[str, ...], message: str, coop: Coop) -> None:
    ended = coop(*arguments)
    assert ended.code == 2
    complaint = ended.err.splitlines()[-1]
    assert complaint.startswith("coop: ")
    assert message in complaint


def test_agents_of_a_team_are_drawn_within_it() -> None:
    app = team()
    drawn = page_of(attribute(app.graph, app.agents, app.score, app.given), "a team")
    assert "team/plot: 2" in drawn
    assert "title: 1" in drawn


@pytest.mark.slow
def test_the_demo_ends_in_a_decision_about_every_agent(coop: Coop) -> None:
    """Without a limit on its calls, which cost nothing; columns without a number are not shown."""
    ended = coop("attribute", "demo", "--advise", "--yes")
    advice = dict(re.findall(r"│ (\w+) +│ +(keep|remove|more) │", ended.out))
    assert advice == {
        "researcher": "keep",
        "writer": "keep",
        "critic": "keep",
        "stylist": "remove",
    }
    assert "as advised" in ended.out
    assert "USD" not in ended.out


def test_the_demo_needs_no_key_says_that_it_is_a_simulation_and_draws_a_page_that_runs_nothing(
    coop: Coop, tmp_path: Path
) -> None:
    ended = coop("attribute", "demo")
    assert ended.code == 0
    assert "A simulation" in ended.out
    again = coop("attribute", "demo", "--json").result
    assert again["calls"]["made"] == 0
    assert again["values"]["researcher"] == pytest.approx(again["values"]["writer"])
    assert sum(again["values"].values()) == pytest.approx(100.0)
    assert again["spent"]["writer"]["input_tokens"] > 0
    assert coop("attribute", "demo", "-o", "credit.html").code == 0
    page = (tmp_path / "credit.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert not re.search(r'(?:src|href)="', page)
    assert "researcher: 43.61" in page, "the app's own graph, with values"
    assert "nobody" in page
    assert "A simulation" in page


def test_value_per_dollar_needs_prices(coop: Coop, tmp_path: Path) -> None:
    credit = attribute(demo.graph, demo.AGENTS, demo.score, demo.INPUTS[:3])
    assert credit.value_per_dollar == dict.fromkeys(demo.AGENTS), "embedded models cost nothing"
    (tmp_path / "wrong.yaml").write_text("m: {input: x}", encoding="utf-8")
    assert "wrong.yaml" in one_line(coop("attribute", "demo", "--prices", "wrong.yaml"), 2)


READS = """\
from typing import TypedDict
from langgraph.graph import START, StateGraph

class Text(TypedDict, total=False):
    facts: str
    text: str

page = StateGraph(Text)
page.add_sequence([
    ("search", lambda s: {"facts": "birds fly"}),
    ("write", lambda s: {"text": f"Know that {s['facts']}."}),
    ("check", lambda s: {"text": s["text"].strip()}),
])
page.add_edge(START, "search")
graph = page.compile()

def score(state):
    return float("fly" in state["text"])
"""


def test_without_values_the_command_fails_with_a_hint(coop: Coop, tmp_path: Path) -> None:
    """Here because nothing is written in the place of agents whose words others read."""
    (tmp_path / "reads.py").write_text(READS, encoding="utf-8")
    (tmp_path / "empty.json").write_text("{}", encoding="utf-8")
    given = ("--score", "reads.py:score", "--input", "empty.json")
    ended = coop("attribute", "reads.py:graph", *given, "--absent", "silent")
    assert ended.code == 2
    said = " ".join(ended.err.split())
    assert "no values: the play of nobody has no score; agents read what an absent one" in said
    assert "--absent blank, or --absent AGENT=path.py:function" in said
    assert "without a LangChain tool is done again" in said
