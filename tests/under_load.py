"""`make test-under-load`: the tests beside twelve busy processes, which end with them.

No test may depend on how fast the machine is: what passes at rest has to pass here.
"""

import signal
import subprocess
import sys
from contextlib import ExitStack

from tests.chance import seed_line, settle_seed
from tests.root import ROOT

BURNERS = 12
MINUTES = 60
"""After which a burner ends by itself; it ends at once when its parent has."""

BURN = f"""
import os, time
parent, end = os.getppid(), time.monotonic() + {60 * MINUTES}
while os.getppid() == parent and time.monotonic() < end:
    sum(range(1_000_000))
"""


def main(command: list[str]) -> int:
    """Run a command beside the burners; its exit code."""
    settle_seed()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the burners end with us, however
    with ExitStack() as burning:
        for _ in range(BURNERS):
            burner = subprocess.Popen([sys.executable, "-c", BURN])
            burning.callback(burner.wait)
            burning.callback(burner.kill)
        print(f"{' '.join(command)} beside {BURNERS} busy processes; {seed_line()}", flush=True)
        return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["make", "test"]))
