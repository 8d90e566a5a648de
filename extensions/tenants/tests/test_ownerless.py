"""A server's saver begins no run of nobody's where there are tenants."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.extensions.server.serving.tenancy import TOKENS, tenancy
from shapley_coop.extensions.tenants.quotas import Ownerless
from shapley_coop.state.storage.checkpoints.savers import saver
from shapley_coop.state.storage.home import Home
from shapley_coop.state.storage.owners import OWNER_KEY
from tests.state.storage.test_checkpoint_owners import heard, place


async def _starting(run: str, head: str, at: Mapping[str, Any]) -> None:
    if tenants := tenancy():
        await tenants.check_new(at)


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
async def test_where_there_are_tenants_a_run_of_nobody_begins_nothing(
    database: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    url = request.getfixturevalue("postgres_url") if database == "postgres" else ""
    home = Home(tmp_path, database=url)
    async with saver(home, listener=heard, starting=_starting) as kept:
        await kept.aget_tuple(place("n-1", run_id="of-nobody"))
        monkeypatch.setenv(TOKENS, "tokens.yaml")
        for _ in range(2):
            with pytest.raises(Ownerless):
                await kept.aget_tuple(place("n-2", run_id="of-nobody-else"))
        await kept.aget_tuple(place("n-2", run_id="of-ann", **{OWNER_KEY: "ann"}))
