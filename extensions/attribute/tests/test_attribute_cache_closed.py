"""The cache of calls is closed while threads of tools use it: the process must go on."""

import subprocess
import sys
from pathlib import Path

USED_WHILE_IT_CLOSES = """
import sqlite3, sys
from pathlib import Path
from threading import Thread

from shapley_coop.extensions.attribute.calls import Calls


def use(calls):
    try:
        while True:
            calls.used("question", "key")
    except sqlite3.ProgrammingError:  # it is closed
        return


for number in range(30):
    calls = Calls(Path(sys.argv[1]) / f"{number}.sqlite", "app")
    threads = [Thread(target=use, args=[calls]) for _ in range(4)]
    for one in threads:
        one.start()
    calls.close()
    for one in threads:
        one.join()
print("closed")
"""


def test_the_cache_may_be_closed_while_threads_use_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", USED_WHILE_IT_CLOSES, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "closed\n"), done.stderr
