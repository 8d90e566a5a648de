"""The first start of several processes on a database that holds nothing yet."""

import os
import subprocess
import sys

import pytest

from tests.postgres import own_database

WORKERS = 6

_START = """
import asyncio
from shapley_coop.state.storage.checkpoints.savers import saver
from shapley_coop.state.storage.home import home
async def start():
    async with saver(home()):
        home().journal, home().ledger, home().runs, home().leases
asyncio.run(start())
"""

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("postgres")]


def test_every_process_that_starts_on_an_empty_database_finds_its_tables(
    postgres_url: str,
) -> None:
    for _ in range(3):
        environment = {**os.environ, "COOP_DATABASE_URL": own_database(postgres_url)}
        command = [sys.executable, "-c", _START]
        started = [
            subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
            for _ in range(WORKERS)
        ]
        ended = [(one.communicate()[1].decode()[-500:], one.returncode) for one in started]
        assert [code for _, code in ended] == [0] * WORKERS, ended
