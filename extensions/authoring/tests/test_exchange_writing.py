"""`coop scenario write`: by the embedded author, by an endpoint, killed and gone on with."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from extensions.authoring.tests.test_exchange_authoring import SIX
from shapley_coop.extensions.authoring.author import Author
from shapley_coop.extensions.exchange.domain import scenario
from shapley_coop.extensions.exchange.domain.files import build
from tests.coop_command import FAILED, NO_CREDENTIALS, USAGE, Coop, one_line
from tests.root import ROOT
from tests.scripted import facts
from tests.stub_openai import StubOpenAI

OUT = "out.yaml"


def author(messages: list[dict[str, Any]]) -> str:
    """The embedded author, at an endpoint."""
    return Author(facts("\n\n".join(message["content"] for message in messages))).sheet()


@pytest.fixture
def coop(coop: Coop, tmp_path: Path) -> Coop:
    """`coop` in a folder with a preferences file and its tools."""
    (tmp_path / "six.yaml").write_text(yaml.safe_dump({**SIX, "tools": "tools.json"}))
    (tmp_path / "tools.json").write_text('{"nodes": [{"id": "book_flight"}]}')
    return coop


@pytest.mark.parametrize(("seed", "name"), [("0", "out.yaml"), ("5", "sub/out.json")])
def test_the_embedded_author_writes_what_the_generator_makes_of_the_same_words(
    coop: Coop, tmp_path: Path, seed: str, name: str
) -> None:
    (tmp_path / "sub").mkdir()
    ended = coop("scenario", "write", "six.yaml", "-o", name, "--seed", seed)
    assert (ended.code, ended.out) == (0, f"{name}\n")
    assert "A simulation" in ended.err
    by_letter, at_once = scenario(str(tmp_path / name)), build({**SIX, "seed": int(seed)})
    assert by_letter.tools.keys() == {"book_flight"}, "looked up from where the file lies now"
    for agent, table in at_once.utilities.items():
        assert by_letter.utilities[agent].tolist() == table.tolist()
    shown = coop("scenario", "show", name, "--json").result
    assert shown["atoms"][0] == "book_flight(to=Rome)"


def test_an_endpoint_that_errs_is_asked_again_and_its_scenario_is_played(
    coop: Coop, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[str] = Counter()

    def careless(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
        """The embedded author, who forgets a mask whenever it sees a letter for the first time."""
        text = author(messages)
        asked[messages[-1]["content"]] += 1
        if "was not taken" in messages[-1]["content"]:
            return text
        content = json.loads(text.removeprefix("<PROPOSAL>").removesuffix("</PROPOSAL>"))
        content.popitem()
        return f"<PROPOSAL>{json.dumps(content)}</PROPOSAL>"

    with StubOpenAI(careless) as stub:
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        model = ("--model", "openai:author", "--base-url", stub.base_url)
        ended = coop("scenario", "write", "six.yaml", "-o", OUT, *model)
        assert ended.code == 0, ended.err
        assert "12 letters, 6 answers sent back; 12 asked now" in ended.err
        assert "A simulation" not in ended.err
        assert stub.calls == 12
        assert set(asked.values()) == {1}
        again = coop("scenario", "write", "six.yaml", "-o", OUT, *model)
        assert "; 0 asked now, 0 tokens" in again.err
        assert stub.calls == 12
    played = coop(
        "run", "task_exchange", "-g", "task_exchange", "--set", f"scenario={OUT}", "--json"
    )
    assert played.result["agents"] == ["Ann", "Ben"]


def test_what_could_not_be_written_is_one_line_and_the_old_file_stays(
    coop: Coop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    (tmp_path / OUT).write_text("what was there before")
    with StubOpenAI(lambda messages, request: "No.") as stub:
        model = ("--model", "openai:author", "--base-url", stub.base_url)
        ended = coop("scenario", "write", "six.yaml", "-o", OUT, "--tries", "2", *model)
        assert stub.calls == 4, "two sheets of descriptions, twice; no score was asked"
    assert "'describe 1' was refused 2 times, last for MPT" in one_line(ended, FAILED)
    assert (tmp_path / OUT).read_text() == "what was there before"
    assert {path.name for path in tmp_path.iterdir()} == {"six.yaml", "tools.json", OUT, "home"}


@pytest.mark.parametrize(
    ("argv", "code", "complaint"),
    [
        (["none.yaml", "-o", OUT], USAGE, "cannot be read as a preferences file"),
        (["tools.json", "-o", OUT], USAGE, "there is no setting 'nodes'"),
        (["six.yaml", "-o", "out.txt"], USAGE, "use a .yaml, .yml, .json file"),
        (["six.yaml", "-o", "none/out.yaml"], USAGE, "in an existing folder"),
        (["six.yaml", "-o", OUT, "--model", "gpt"], USAGE, "give provider:name"),
        (["six.yaml", "-o", OUT, "--model", "human"], USAGE, "a person cannot write"),
        (["six.yaml", "-o", OUT, "--model", "openai:gpt"], NO_CREDENTIALS, "OPENAI_API_KEY"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_before_anybody_is_asked(
    coop: Coop, tmp_path: Path, argv: list[str], code: int, complaint: str
) -> None:
    assert complaint in one_line(coop("scenario", "write", *argv), code)
    assert not (tmp_path / OUT).exists()


@pytest.mark.slow
def test_killed_while_scores_are_asked_it_asks_for_no_description_again(
    coop: Coop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[str] = Counter()

    def counted(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
        asked[messages[-1]["content"]] += 1
        return author(messages)

    monkeypatch.setenv("OPENAI_API_KEY", "test")
    with StubOpenAI(counted, latency=0.2) as stub:
        model = ("--model", "openai:author", "--base-url", stub.base_url)
        command = ("scenario", "write", "six.yaml", "-o", OUT, *model)
        with subprocess.Popen(
            [sys.executable, "-m", "shapley_coop", *command],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        ) as process:
            stub.wait_for_calls(3)
            process.send_signal(signal.SIGKILL)
        assert not (tmp_path / OUT).exists()
        ended = coop(*command)
    assert ended.code == 0, ended.err
    assert "6 letters, 0 answers sent back; 4 asked now" in ended.err
    descriptions = [n for letter, n in asked.items() if "exchange_describe" in letter]
    assert descriptions == [1, 1]
    assert scenario(str(tmp_path / OUT)).tasks.n == 6
