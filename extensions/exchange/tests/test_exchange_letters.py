"""The letters of the talk over tasks."""

from shapley_coop.graphs.running import play
from shapley_coop.state.run_config import RunConfig
from tests.scripted import Script


async def test_a_trader_shares_its_rules_and_finds_its_utilities_at_the_end(script: Script) -> None:
    await play("task_exchange", RunConfig(game="task_exchange", seed=2))
    talk = [(a, m) for a, ask, m in script.letters if ask in ("consider", "exchange")]
    assert len({str(m[0].text) for _, m in talk}) == 1
    for _, messages in talk:
        user = str(messages[1].text)
        assert user.index("# So far") < user.index("What each set of tasks is worth")
