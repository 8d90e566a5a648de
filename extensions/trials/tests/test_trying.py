"""Whether a model can play: one run with it at every seat."""

from pathlib import Path

from tests.coop_command import FAILED, Coop
from tests.embedded_reply import reply
from tests.stub_openai import StubOpenAI


def test_a_model_that_can_play_is_told_what_a_suite_costs(coop: Coop) -> None:
    prices = Path("prices.yaml")
    prices.write_text("openai:Alice: {input: 1, output: 2}\n", encoding="utf-8")
    with StubOpenAI(reply) as stub:
        given = ("openai:Alice", "--base-url", stub.base_url)
        ended = coop("try", *given, "--prices", str(prices))
        assert stub.calls > 0
    assert ended.code == 0, ended.err
    assert "ok    openai:Alice can play" in ended.out
    for act in ("reason", "propose", "answer", "act", "claim"):
        assert f"│ {act} " in ended.out
    assert "USD" in ended.out
    assert coop("runs", "--json").result == [], "a trial leaves no run behind"


def test_a_model_that_cannot_play_is_told_by_the_exit_code_too(coop: Coop) -> None:
    with StubOpenAI(lambda messages, request: "I am a teapot.") as stub:
        ended = coop("try", "openai:x", "--base-url", stub.base_url, "--suite", "")
    assert ended.code == FAILED
    assert "FAIL  openai:x cannot play: no answer to" in ended.out
    down = coop("try", "openai:x", "--base-url", "http://127.0.0.1:9/v1")
    assert down.code == FAILED
    assert "http://127.0.0.1:9/v1" in down.out
