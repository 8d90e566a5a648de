"""The soak keeps what each promise came to last, and writes the page from that."""

from pathlib import Path

import pytest

from tests import soak
from tests.proofs.proof import Finding, Proof


def proof(held: bool = True) -> Proof:
    def attempt(folder: Path, times: int) -> Finding:
        assert folder.is_dir()
        return Finding(f"{times} tries", f"{0 if held else 1} broken", held)

    return Proof("It holds", "0 broken", "Nothing else.", attempt, short=1, long=1_000)


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(soak, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(soak, "KEPT", tmp_path / "kept.json")
    monkeypatch.setattr(soak, "proofs", lambda: [("a", proof()), ("b", proof(held=False))])
    return tmp_path / "page.md"


def test_the_page_says_what_was_found_and_what_was_not_tried(page: Path) -> None:
    assert soak.main(["--short"]) == 1
    assert not page.exists()
    assert soak.main(["a"]) == 0
    assert "- **It holds**: not tried at its long size yet. Nothing else." in page.read_text()
    assert soak.main(["b"]) == 1
    text = page.read_text()
    assert "- **It holds**: held. Nothing else." in text
    assert "- **It holds**: **not held** (goal: 0 broken): 1 broken. Nothing else." in text
    assert '"tried": "1000 tries"' in soak.KEPT.read_text(encoding="utf-8")


def test_an_unknown_promise_is_refused_with_those_there_are(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        soak.main(["c"])
    assert "no proof c: there is a, b" in capsys.readouterr().err
