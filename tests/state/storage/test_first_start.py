"""The first start of several processes on a database that holds nothing yet."""

import os
import subprocess
import sys
from uuid import uuid4

import psycopg
import pytest

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
        name = f"fresh_{uuid4().hex[:8]}"
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        url = postgres_url.replace("/postgres?", f"/{name}?")
        environment = {**os.environ, "COOP_DATABASE_URL": url}
        command = [sys.executable, "-c", _START]
        started = [
            subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
            for _ in range(WORKERS)
        ]
        ended = [(one.communicate()[1].decode()[-500:], one.returncode) for one in started]
        assert [code for _, code in ended] == [0] * WORKERS, ended
