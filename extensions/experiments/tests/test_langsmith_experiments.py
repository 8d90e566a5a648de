"""Evaluations: scored on this machine, and uploaded as datasets and experiments when asked."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from langsmith import testing
from typer.testing import CliRunner

from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.evaluators import EVALUATORS, scores
from shapley_coop.extensions.experiments.experiments import (
    Experiment,
    against,
    economic_keys,
    feedback,
    summary_feedback,
    upload,
)
from shapley_coop.extensions.experiments.runs import _outputs
from shapley_coop.extensions.sweeps.folders import read_rows
from shapley_coop.graphs import builder
from tests.background import in_background
from tests.evals.swept import CONDITIONS, SUITE, ablation, suite

INGEST = {
    "use_multipart_endpoint": True,
    "size_limit": 100,
    "size_limit_bytes": 20_971_520,
    "scale_up_nthreads_limit": 16,
    "scale_up_qsize_trigger": 1000,
    "scale_down_nempty_trigger": 4,
}
CREATED = "2026-01-01T00:00:00+00:00"


class LangSmith(ThreadingHTTPServer):
    """As much of LangSmith's interface as an upload and a baseline use.

    Attributes:
        datasets: by name.
        examples: all that were made.
        sessions: the experiments.
        runs: id → what was posted of it.
        feedback: all there is.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.datasets: dict[str, dict[str, Any]] = {}
        self.examples: list[dict[str, Any]] = []
        self.sessions: list[dict[str, Any]] = []
        self.runs: dict[str, dict[str, Any]] = {}
        self.feedback: list[dict[str, Any]] = []
        self.requests = 0
        self.broken = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, method: str, path: str, query: str, body: bytes, kind: str) -> Any:
        self.requests += 1
        if self.broken and path == "/runs/multipart":
            return None
        match method, path:
            case "GET", "/info":
                flags = {"dataset_examples_multipart_enabled": True}
                return {"version": "1", "instance_flags": flags, "batch_ingest_config": INGEST}
            case "GET", "/datasets":
                return [d for d in self.datasets.values() if d["name"].split("/")[1] in query]
            case "POST", "/datasets":
                made = {**json.loads(body), "id": str(uuid4()), "created_at": CREATED}
                self.datasets[made["name"]] = made
                return made
            case "GET", "/examples":
                return self.examples
            case "GET", "/sessions":
                return [s for s in self.sessions if s["name"] in query]
            case "POST", "/sessions":
                made = {"tenant_id": str(uuid4()), "start_time": CREATED, **json.loads(body)}
                self.sessions.append(made)
                return made
            case "POST", "/runs/multipart":
                for name, part in _parts(body, kind):
                    self._keep(name, json.loads(part))
            case "POST", "/api/v2/runs/query":
                asked = json.loads(body)
                (project,) = [s for s in self.sessions if s["id"] in asked["project_ids"]]
                assert (asked["is_root"], asked["min_start_time"]) == (True, project["start_time"])
                # In pages of one, each named by the run before it.
                names = [
                    "",
                    *(i for i, r in self.runs.items() if r["session_name"] == project["name"]),
                ]
                at = names.index(asked.get("cursor", "")) + 1
                items = [{"outputs": self.runs[run]["outputs"]} for run in names[at : at + 1]]
                return {"items": items, "next_cursor": names[at] if len(names) > at + 1 else None}
            case "POST", _ if path.endswith("/examples"):
                parts = dict(_parts(body, kind))
                ids = [name for name in parts if "." not in name]
                self.examples += [
                    {"id": i, "dataset_id": path.split("/")[-2], "created_at": CREATED}
                    | {"inputs": json.loads(parts[f"{i}.inputs"]), "outputs": {}}
                    for i in ids
                ]
                return {"count": len(ids), "example_ids": ids}
        return {}

    def _keep(self, name: str, content: Any) -> None:
        kind, run, *field = name.split(".")
        if kind == "feedback":
            self.feedback.append(content)
        elif field:
            self.runs.setdefault(run, {})[field[0]] = content
        else:
            self.runs.setdefault(run, {}).update(content)


class _Handler(BaseHTTPRequestHandler):
    server: LangSmith

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path, _, query = self.path.partition("?")
        kind = self.headers.get("Content-Type") or ""
        found = self.server.answer(self.command, path, query, body, kind)
        data = json.dumps(found).encode()
        self.send_response(422 if found is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PATCH = _answer

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def _parts(body: bytes, kind: str) -> Iterator[tuple[str, bytes]]:
    """The parts of a multipart body, by name."""
    boundary = b"--" + kind.rpartition("boundary=")[2].strip('"').encode()
    for part in body.split(boundary)[1:-1]:
        head, _, content = part.strip(b"\r\n").partition(b"\r\n\r\n")
        yield head.partition(b'name="')[2].partition(b'"')[0].decode(), content


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ablation(tmp_path_factory)


@pytest.fixture
def rows(folder: Path) -> list[Row]:
    return [row for row in read_rows(folder) if row["seed"] < 2]


@pytest.fixture
def server() -> Iterator[LangSmith]:
    with in_background(running := LangSmith()):
        yield running


@pytest.fixture
def there(server: LangSmith) -> dict[str, Any]:
    """How to reach it."""
    return {"api_url": server.url, "api_key": "canary-key", "timeout_ms": (60_000, 60_000)}


def test_every_economic_key_is_an_evaluator():
    assert set(EVALUATORS) >= {
        "agreement",
        "social_welfare",
        "pareto_distance",
        "nash_distance",
        "individual_rationality",
        "shapley_distance",
        "over_claim",
        "adherence",
        "budget_balance",
        "format_errors",
        "tokens",
    }


def test_feedback_is_every_measure_that_a_run_has(rows):
    for row in rows:
        given = {result.key: result.score for result in feedback(row)}
        assert given == {key: x for key, x in scores(row).items() if x is not None}


def test_a_summary_names_interval_and_n(rows):
    fair = [row for row in rows if row["graph"] == "shapley_coop"]
    found = {result.key: result for result in summary_feedback(fair)}
    assert found["social_welfare"].score == 9
    assert found["social_welfare"].comment == "9.0000 [9.0000, 9.0000] n=2"


def test_an_upload_makes_one_dataset_and_an_experiment_a_condition(server, there, rows):
    experiment = Experiment.of(suite(seeds="0-1"), rows)
    names = upload(experiment, **there)
    assert list(server.datasets) == ["shapley-coop/mini"]
    rooms = [example["inputs"]["room"] for example in server.examples]
    assert [(room["game"], room["seed"]) for room in rooms] == [
        ("escape_room", 0),
        ("escape_room", 1),
    ]
    assert [session["name"] for session in server.sessions] == names
    assert [name.rpartition("-")[0] for name in names] == [f"mini-{c}" for c in CONDITIONS]
    roots = {i: run for i, run in server.runs.items() if not run.get("parent_run_id")}
    assert len(roots) == len(rows)
    told = {(run["reference_example_id"], run["session_name"]) for run in roots.values()}
    assert len(told) == len(rows)
    assert all(s["extra"]["metadata"]["simulated"] for s in server.sessions)


def test_the_phases_of_a_run_hang_under_it_in_its_experiment(server, there, rows):
    upload(Experiment.of(suite(seeds="0-1"), rows), **there)
    roots = {i: run for i, run in server.runs.items() if not run.get("parent_run_id")}
    children: dict[str, list[Any]] = {}
    for run in server.runs.values():
        if above := run.get("parent_run_id"):
            assert run["session_name"] == roots[above]["session_name"]
            children.setdefault(above, []).append(run)
    seeds = {row["seed"] for row in rows}
    assert {run["name"] for run in roots.values()} == {f"escape_room seed {n}" for n in seeds}
    assert children.keys() == roots.keys()
    for above, phases in children.items():
        phases.sort(key=lambda run: run["dotted_order"])
        assert [run["name"] for run in phases] == ["negotiation", "action", "settlement"]
        assert phases[2]["outputs"]["payoffs"] == roots[above]["outputs"]["payoffs"]


def test_every_run_is_uploaded_with_its_scores_as_feedback(server, there, rows):
    upload(Experiment.of(suite(seeds="0-1"), rows), **there)
    given: dict[str, dict[str, float]] = {}
    for one in server.feedback:
        if one["run_id"]:
            given.setdefault(one["run_id"], {})[one["key"]] = one["score"]
    # The client cuts scores to four decimals.
    expected = [
        {k: pytest.approx(x, abs=1e-4) for k, x in scores(row).items() if x is not None}
        for row in rows
    ]
    assert len(given) == len(expected)
    assert all(one in expected for one in given.values())


def test_what_each_agent_did_is_uploaded_as_the_result_tells_it(rows):
    for row in rows:
        assert _outputs(row)["conduct"] == row["result"]["conduct"]
        assert _outputs(row)["conduct"].keys() == {"Alice", "Bob"}


def test_no_letter_answer_or_secret_is_uploaded(server, there, rows):
    upload(Experiment.of(suite(seeds="0-1"), rows), **there)
    sent = json.dumps([server.runs, server.examples, server.sessions, server.feedback])
    assert "<CONSIDER>" not in sent
    assert "canary-key" not in sent
    assert "Two or more are locked in" not in sent


def test_an_example_is_the_input_of_a_graph_and_is_scored_by_the_same_evaluator(
    server, there, rows
):
    upload(Experiment.of(suite(seeds="0-1"), rows), **there)
    for example in server.examples:
        played = builder("shapley_coop").compile().invoke(example["inputs"])
        assert played["settings"]["seed"] == example["inputs"]["room"]["seed"]
        run = SimpleNamespace(outputs=played, extra={"metadata": {"graph": "shapley_coop"}})
        given = {one.key: one.score for one in economic_keys(run, example)["results"]}
        (row,) = (
            row
            for row in rows
            if row["graph"] == "shapley_coop" and row["seed"] == played["settings"]["seed"]
        )
        measured = {key: x for key, x in scores(row).items() if x is not None}
        assert given.keys() <= measured.keys()
        assert {"social_welfare", "adherence", "shapley_distance"} <= given.keys()
        assert all(given[key] == pytest.approx(measured[key]) for key in given)


def test_a_second_upload_uses_the_same_examples(server, there, rows):
    experiment = Experiment.of(suite(seeds="0-1"), rows)
    upload(experiment, **there)
    upload(experiment, **there)
    assert len(server.datasets) == 1
    assert len(server.examples) == 2
    assert len(server.sessions) == 2 * len(CONDITIONS)


def test_an_uploaded_experiment_is_a_baseline(server, there, rows):
    one = Experiment.of(suite(seeds="0-1"), [r for r in rows if r["graph"] == "llm_only"])
    (name,) = upload(one, **there)
    found = against(Experiment.of(suite(seeds="0-1"), rows), name, **there)
    gains = {c.measure: c for c in found["shapley_coop"]}
    assert gains["social_welfare"].difference.value == 11
    assert gains["social_welfare"].difference.n == 2


def test_a_folder_is_a_baseline_condition_by_condition(folder, rows):
    found = against(Experiment.of(suite(seeds="0-1"), rows), str(folder))
    assert list(found) == CONDITIONS
    assert all(c.difference.value == 0 for group in found.values() for c in group)


def test_an_endpoint_that_is_dead_is_one_clear_line(rows):
    gone = {"api_url": "http://127.0.0.1:9", "api_key": "k", "timeout_ms": (200, 200)}
    with pytest.raises(ValueError, match="LangSmith") as refused:
        upload(Experiment.of(suite(seeds="0-1"), rows), **gone)
    assert "\n" not in str(refused.value)


def test_an_upload_that_is_refused_in_the_background_is_no_success(server, there, rows):
    server.broken = True
    with pytest.raises(ValueError, match="requests failed"):
        upload(Experiment.of(suite(seeds="0-1"), rows), **there)


def test_nothing_leaves_the_machine_without_an_upload(server, tmp_path, monkeypatch):
    from shapley_coop.cli.commands import command_line

    monkeypatch.setenv("LANGSMITH_ENDPOINT", server.url)
    monkeypatch.setenv("LANGSMITH_API_KEY", "canary-key")
    path = tmp_path / "mini.yaml"
    path.write_text(SUITE, encoding="utf-8")
    arguments = ["eval", str(path), "--seeds", "0", "-o", str(tmp_path / "out"), "--json"]
    done = CliRunner().invoke(command_line(), arguments)
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert set(told["conditions"]) == set(CONDITIONS)
    assert told["conditions"]["shapley_coop"]["social_welfare"]["n"] == 1
    assert told["uploaded"] == []
    assert server.requests == 0


@pytest.mark.langsmith
@pytest.mark.parametrize("graph", CONDITIONS)
def test_no_condition_makes_or_loses_money(rows, graph):
    """With LANGSMITH_TEST_TRACKING=true this is an experiment of LangSmith's pytest plugin."""
    for row in (row for row in rows if row["graph"] == graph):
        found = {result.key: result.score for result in feedback(row)}
        testing.log_inputs({"graph": graph, "seed": row["seed"]})
        testing.log_outputs(row["result"]["payoffs"])
        for key, value in found.items():
            testing.log_feedback(key=key, score=value)
        assert found["budget_balance"] == 0
        # In Escape Room the absent are away and have 0; at one door both end below that.
        kept = [payoff >= 0 for payoff in row["result"]["payoffs"].values()]
        assert found["individual_rationality"] == sum(kept) / len(kept)


def test_an_experiment_without_a_run_is_refused():
    with pytest.raises(ValueError, match="nothing can be scored"):
        Experiment.of(suite(), [])
