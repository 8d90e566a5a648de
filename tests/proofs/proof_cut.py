"""No transfer is lost or doubled where the network breaks between a commit and its answer.

A worker whose commit was made, and who never hears of it, cannot know whether it was. Here a
cable between workers and Postgres is cut at that moment, and the run is resumed.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from random import Random
from urllib.parse import parse_qs, unquote, urlsplit

from shapley_coop.state.storage.home import Home
from tests.postgres import postgres
from tests.proofs.proof import Finding, Proof
from tests.proofs.proof_kills import PLAYS
from tests.trials import Audit, Play, Trial
from tests.warm_coop import COOP, Ended, Stop, warm_coop

COMMITS = (b"COMMIT", b"INSERT INTO checkpoint")
"""What a worker sends where something is to be there for good; checkpoints commit by themselves."""

PIECE = 1 << 16


class Cable:
    """A TCP address that is Postgres, until it is cut.

    Args:
        path: the server's own socket.

    Attributes:
        url: the database, through the cable.
        cuts: how often a commit was made and its answer withheld.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"postgresql://postgres@127.0.0.1:{self._door.getsockname()[1]}/postgres"
        self.cuts = 0
        self._left = 0
        self._counting = threading.Lock()

    def cut_at(self, commit: int) -> None:
        """Cut the connection of the commit of this number from now on; never for 0."""
        with self._counting:
            self._left = commit

    def carry(self) -> None:
        """Connect whoever calls, until the address is closed."""
        with suppress(OSError):
            while True:
                caller, _ = self._door.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._path)
                ends = (caller, server, threading.Event())
                threading.Thread(target=self._ask, args=ends, daemon=True).start()
                threading.Thread(target=self._answer, args=ends, daemon=True).start()

    def close(self) -> None:
        """Let nobody call any more."""
        self._door.close()

    def _ask(self, caller: socket.socket, server: socket.socket, last: threading.Event) -> None:
        with _both_closed(caller, server):
            while said := caller.recv(PIECE):
                if any(commit in said for commit in COMMITS) and self._is_the_one():
                    last.set()
                server.sendall(said)

    def _answer(self, caller: socket.socket, server: socket.socket, last: threading.Event) -> None:
        with _both_closed(caller, server):
            while said := server.recv(PIECE):
                if last.is_set():
                    self.cuts += 1
                    return
                caller.sendall(said)

    def _is_the_one(self) -> bool:
        with self._counting:
            self._left -= 1
            return self._left == 0


@contextmanager
def _both_closed(*ends: socket.socket) -> Iterator[None]:
    try:
        with suppress(OSError):
            yield
    finally:
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@dataclass
class OnACable(Trial):
    """A run whose stops are cuts: its process lives, says what happened, and exits with 1."""

    cable: Cable | None = None
    unclear: int = 0

    def live(self, *argv: str, stop: Stop, program: str = COOP) -> Ended:
        """Play with the cable cut at the write that `stop` names."""
        assert self.cable is not None
        before = self.cable.cuts
        self.cable.cut_at(stop.write)
        ended = self.coop.run(*argv, program=program)
        self.cable.cut_at(0)
        was_cut = self.cable.cuts > before
        assert ended.code in (0, 1) if was_cut else ended.code == 0, f"{self.name}: {ended.err}"
        self.unclear += ended.code == 1 and "the database" not in ended.err
        return ended


def attempt(folder: Path, times: int) -> Finding:
    """Cut runs at random commits until `times` were made whose answer never came."""
    with postgres() as url, closing(Cable(_socket_of(url))) as cable:
        threading.Thread(target=cable.carry, daemon=True).start()
        coop = warm_coop(Home(folder, cable.url))
        coop = replace(coop, variables={"COOP_DEBUG": ""})
        plays = [Play.uninterrupted(coop, *play) for play in PLAYS.items()]
        trials = list[OnACable]()
        while cable.cuts < times:
            play = plays[len(trials) % len(plays)]
            trial = OnACable(coop, f"cut.{len(trials)}", play, cable=cable)
            rng = Random(trial.name)
            trial.through(Stop(write=rng.randint(1, 12)) for _ in count())
            trials.append(trial)
        unsound = sum(coop.run("verify", trial.name).code != 0 for trial in trials)
        audit = Audit.of(coop.home, plays, trials)
    unclear = sum(trial.unclear for trial in trials)
    return Finding(
        tried=f"{cable.cuts:,} commits in {len(trials):,} runs of {', '.join(PLAYS)} were made and "
        "their answers withheld, at random; each run was resumed",
        figure=f"{audit}; {unsound} runs not verified; {unclear} ends did not name the database",
        held=audit.clean and not unsound and not unclear,
    )


def _socket_of(url: str) -> str:
    """The server's own socket, from a URL that names its folder."""
    folder = parse_qs(urlsplit(url).query)["host"][0]
    return str(Path(unquote(folder)) / ".s.PGSQL.5432")


PROOFS = {
    "cut_postgres": Proof(
        promise="A commit whose answer is lost is made once (Postgres)",
        goal="≥ 100 cuts, 0 lost, 0 doubled, sums zero",
        not_promised=(
            "The run stops at the cut, and `coop resume` goes on. A call in flight is asked again."
        ),
        attempt=attempt,
        short=6,
        long=100,
    )
}
