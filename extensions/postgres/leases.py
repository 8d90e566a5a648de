"""The leases of machines that share a Postgres database, as advisory locks of a connection.

The server releases a lease when the connection that holds it ends, which can take hours if a
worker is frozen or a machine has vanished. So each worker sends a heartbeat on its connection every
`BEAT` seconds. Another worker that wants the run ends a connection that was silent for `SILENT`
seconds by the server's clock. A worker can outlive its connection. So each lease has a fencing
token, and a worker that finds a higher token saves no further step (`HomeSaver.fences`). Its late
answers and postings do no harm, since each key is written only once.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Thread
from typing import Any

from shapley_coop.extensions.postgres.connections import open_connection
from shapley_coop.extras import require_extra
from shapley_coop.state.storage.facts import Fact, facts_at
from shapley_coop.state.storage.leases import Lease, busy, digest, this_worker

with require_extra("postgres", "a home in Postgres"):
    from psycopg import Error

LEASE = "lease"
"""The kind of the stored facts that name a run's lease holder; their key is the fencing token."""

BEAT, SILENT = 15.0, 60.0

_END_SILENT = """
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity JOIN pg_locks USING (pid)
    WHERE locktype = 'advisory' AND objsubid = 1 AND classid = %(key)s::bigint >> 32
    AND objid = %(key)s::bigint & x'ffffffff'::bigint AND datname = current_database()
    AND state_change < now() - make_interval(secs => %(silent)s)
"""


class PostgresLeases:
    """The leases of a Postgres home, as advisory locks of one connection.

    Args:
        url: `postgresql://…`.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._facts = facts_at(url)
        self._lock = Lock()
        self._connection: Any = None
        self._held: set[str] = set()
        self._beating: Thread | None = None

    @contextmanager
    def of(self, run: str) -> Iterator[Lease]:
        """Hold the lease of a run until the end of the block; see `FileLeases.of`."""
        fence = self._take(run)
        try:
            yield Lease(run, lambda: self.fence(run) != fence)
        finally:
            self._release(run)

    def forget(self, run: str) -> None:
        """Delete what is stored about a removed run's leases; the caller must hold its lease."""
        with self._facts.writing("") as session:
            session.forget(LEASE, run)

    def fence(self, run: str) -> int:
        """Return the fencing token of a run's latest lease; 0 if there was none."""
        latest = self._latest(run)
        return int(latest.key) if latest else 0

    def _latest(self, run: str) -> Fact | None:
        with self._facts.reading("") as session:
            return session.last(LEASE, run)

    def _take(self, run: str) -> int:
        with self._lock:
            # Postgres grants a connection its own lock twice, so check this process's own leases.
            if run in self._held or not (self._lock_it(run) or self._taken_over(run)):
                latest = self._latest(run)
                raise busy(run, latest.value["holder"] if latest else "")
            self._held.add(run)
            if self._beating is None:
                self._beating = Thread(target=self._beat, daemon=True)
                self._beating.start()
        with self._facts.writing("", f"lease of {run}") as session:
            return session.append(LEASE, run, {"holder": this_worker()})

    def _release(self, run: str) -> None:
        with self._lock:
            self._held.discard(run)
            # A broken connection has released its locks already.
            with suppress(Error):
                self._execute("SELECT pg_advisory_unlock(%(key)s)", run)

    def _lock_it(self, run: str) -> bool:
        return self._execute("SELECT pg_try_advisory_lock(%(key)s)", run)

    def _taken_over(self, run: str) -> bool:
        """Take a run over from a silent worker, and return whether this succeeded."""
        return self._execute(_END_SILENT, run) and self._lock_it(run)

    def _beat(self) -> None:
        """Send heartbeats as long as this worker holds a lease."""
        while True:
            time.sleep(BEAT)
            with self._lock:
                if not self._held:
                    self._beating = None
                    return
                # If the connection is broken, `Lease.check` finds out if another took the run.
                with suppress(Error):
                    self._connection.execute("SELECT 1")

    def _execute(self, statement: str, run: str) -> bool:
        if self._connection is None or self._connection.closed:
            self._connection = open_connection(self._url)
        given = {"key": int(digest(run)[:15], 16), "silent": SILENT}
        found = self._connection.execute(statement, given).fetchone()
        return bool(found and found[0])
