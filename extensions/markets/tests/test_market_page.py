"""The page of the call market, its letter as reviewed, and the game that it plays."""

from pathlib import Path

from tests.coop_command import USAGE, Coop, one_line
from tests.prompts.test_letters import letters_of
from tests.scripted import Script

LETTER = Path(__file__).parent / "snapshots" / "call_market_order_alice.md"


async def test_the_letter_that_asks_for_orders_is_as_reviewed(script: Script) -> None:
    agent, act, _, letter = (await letters_of(script, "call_market", game="trade"))[0]
    assert (agent, act) == ("Alice", "order")
    assert letter == LETTER.read_text(encoding="utf-8")


def test_a_file_of_payoffs_is_refused_by_the_name_of_its_game(coop: Coop) -> None:
    acts = "agents: [Ann, Ben]\nactions: {Ann: [go, stay], Ben: [go, stay]}\n"
    pays = "".join(
        f"  - {{play: [{one}, {other}], pays: [1, 2]}}\n"
        for one in ("go", "stay")
        for other in ("go", "stay")
    )
    Path("bridge.yaml").write_text(f"name: bridge\n{acts}payoffs:\n{pays}absent: go\n")
    line = one_line(coop("run", "bridge.yaml", "-g", "call_market"), USAGE)
    assert "call_market plays trade, not bridge" in line
