"""The guest that the page prints answers every letter of the papers' workflows."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from shapley_coop import play
from tests.root import ROOT

GUEST = ROOT / "docs" / "guest.py"


@pytest.fixture(scope="module")
def answer() -> Any:
    [function] = [
        node
        for node in ast.parse(GUEST.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name == "answer"
    ]
    known: dict[str, Any] = {"json": json}
    exec(compile(ast.Module([function], []), Path(GUEST).name, "exec"), known)
    return known["answer"]


@pytest.mark.parametrize("workflow", ["negotiation", "contracts", "short_term", "shapley_coop"])
async def test_the_pages_guest_is_asked_nothing_twice(answer: Any, workflow: str) -> None:
    def guest(letter: str, facts: Any) -> str:
        return str(answer({"act": facts["ask"], "facts_json": json.dumps(facts)}))

    played = await play(
        workflow, game="escape_room", seats={"Bob": guest, "*": "embedded:rational"}
    )
    assert played.status == "agreed"
    assert played["happened"]["answers"]["Bob"]["unusable"] == 0
