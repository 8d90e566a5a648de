"""Whatever is printed or written is the same whatever seed a process hashes its strings by.

A set's order follows from that seed, so that a set whose order reaches an output makes equal runs
tell different things.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.root import ROOT

SEEDS = ("0", "1", "2", "3")


def told(what: str, seed: str, folder: Path) -> str:
    """What a process prints whose strings are hashed by that seed."""
    here = {"PYTHONHASHSEED": seed, "COOP_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT)}
    folder.mkdir()
    return subprocess.run(
        [sys.executable, "-m", "tests.house.hash_seed_texts", what],
        cwd=folder,
        env={**os.environ, **here, "COLUMNS": "120"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    ).stdout


@pytest.mark.slow
def test_a_certificate_names_the_same_of_equal_deviations_in_every_process(tmp_path: Path) -> None:
    first, *others = [told("certificates", seed, tmp_path / seed) for seed in SEEDS]
    assert "Keeping it is no best response" in first
    assert "(CLASH)" in first
    assert all(other == first for other in others)


WRITTEN = ("dilemma.json", "tasks.html", "swept.html", "tables/[!t]*.csv")
RUN_ANEW = (
    r"\b[0-9a-f]{32}(?:[0-9a-f]{32})?\b",  # an episode's random name, and what it is hashed into
    r"\b[0-9a-f]{8}(?=\.[0-9a-f]{20}\b)",  # a sweep's
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.+]*Z?",  # when it was played
    r"(?<=: )\d+\.\d{6,}(?:e-\d+)?",  # how many seconds it took
    r"(?<=>)\d+\.\d{3}(?=</(?:td|a)>)",  # the same, in a report's table
)
"""What differs each time something is played, in one process, too."""


@pytest.mark.slow
def test_all_that_is_printed_and_written_is_the_same_in_every_process(tmp_path: Path) -> None:
    """Letters, certificates, runs, credit, lists, graphs, sweeps, reports and tables."""
    outputs = []
    for seed in SEEDS[:3]:
        printed = told("commands", seed, tmp_path / seed).split("\n$ ")[1:]
        refused = [text.partition("\n")[0] for text in printed if not text.endswith("\n(0)\n")]
        assert refused == ["coop compare swept:game=none swept:graph=contracts"]
        files = [file for part in WRITTEN for file in sorted((tmp_path / seed).glob(part))]
        assert len(files) > len(WRITTEN)
        written = [f"{file.name}\n{file.read_text(encoding='utf-8')}" for file in files]
        outputs.append([_once(text) for text in (*printed, *written)])
    first, *others = outputs
    for other in others:
        for one, again in zip(first, other, strict=True):
            assert one == again


def _once(text: str) -> str:
    return re.sub("|".join(RUN_ANEW), "…", text)
