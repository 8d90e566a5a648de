"""Every label by which the code refuses is in the table of labels, and no other."""

import ast
from collections.abc import Iterator
from pathlib import Path

from shapley_coop.deals.language.labels import LABELS
from tests.root import ROOT

ROOMS = ("deals", "evals", "games", "graphs", "nodes", "questions", "seats", "state")
REFUSING = {"Fault", "_fault", "_wrong", "_broken", "_in_each"}
ELSEWHERE = {"PASS", "BUDGET", "UNWRITTEN", "SHEET", "ORDER", "SIGN", "MANDATE"}
ELSEWHERE |= {"UNK", "MDA", "EMP", "OVL", "MAT"}
"""Of passes that no fault went before, and of extensions (`authoring`, `exchange`, `markets`,
`proof`)."""


def labels_in(path: Path) -> Iterator[str]:
    """What a file gives as a label, as it is written or by a constant's name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            for given in node.args[:2] if name in REFUSING else ():
                if isinstance(given, ast.Constant):
                    yield str(given.value)
                elif isinstance(given, ast.Name) and given.id in constants:
                    yield str(constants[given.id])


def test_every_label_is_explained_once_and_none_is_made_up() -> None:
    known = [label for labels in LABELS.values() for label in labels]
    assert len(known) == len(set(known))
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    used = {label for path in files for label in labels_in(path) if label.isupper()}
    assert used | ELSEWHERE == set(known)
