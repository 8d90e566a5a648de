"""Foreign code: contained, reported, and nothing of it left running."""

import os
from pathlib import Path
from uuid import uuid4

import pytest

from shapley_coop.extensions.sandbox.sandbox import require_sandbox
from shapley_coop.games.params import GameError
from shapley_coop.games.sandbox import (
    PYTHON,
    CheckResult,
    Limits,
    SandboxMissing,
    run_checks,
)
from tests.waiting import wait_for

PATIENT = Limits(seconds=120)
"""What ends by itself has time for it on a busy machine, too."""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "hello.py").write_text("print('hello')\n")
    return folder


def run(folder: Path, code: str, limits: Limits = PATIENT, unsafe: bool = False) -> CheckResult:
    (folder / "hostile.py").write_text(code)
    return run_checks(folder, [PYTHON, "hostile.py"], limits, unsafe=unsafe)


def wait_until_none_runs(mark: str) -> None:
    """Wait for the end of every process of this machine that carries the mark."""

    def none_runs() -> bool:
        running = (path for path in os.listdir("/proc") if path.isdigit())
        return not any(
            mark.encode() in _command(path) and int(path) != os.getpid() for path in running
        )

    wait_for(f"the end of {mark}", none_runs)


def _command(process: str) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def test_a_program_runs_and_its_outcome_is_reported(workspace: Path, unsafe: bool) -> None:
    good = run_checks(workspace, [PYTHON, "hello.py"], unsafe=unsafe)
    assert good == CheckResult("ended", 0, "hello\n", "", sandboxed=not unsafe)
    assert good.passed
    bad = run(workspace, "import sys; print('no', file=sys.stderr); sys.exit(3)", unsafe=unsafe)
    assert (bad.code, bad.stderr, bad.passed) == (3, "no\n", False)
    killed = run(workspace, "import os; os.kill(os.getpid(), 9)", unsafe=unsafe)
    assert killed.code == 128 + 9


def test_the_workspace_stays_as_it_is_whatever_runs_on_it(workspace: Path, unsafe: bool) -> None:
    (workspace / "sub").mkdir(mode=0o700)
    (workspace / "sub/data.txt").write_text("kept\n")
    code = (
        "import os\nopen('sub/data.txt', 'w').write('x')\nopen('new', 'w')\nos.remove('hello.py')"
    )
    assert run(workspace, code, unsafe=unsafe).code == 0
    assert (workspace / "sub/data.txt").read_text() == "kept\n"
    assert sorted(os.listdir(workspace)) == ["hello.py", "hostile.py", "sub"]


@pytest.mark.usefixtures("boxed")
def test_paths_and_links_lead_nowhere_but_within_the_sandbox(
    workspace: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    (workspace / "link.txt").symlink_to(secret)
    (workspace / "up").symlink_to("../../../../..")
    code = f"""
import os
for path in ("link.txt", "../secret.txt", {str(secret)!r}, "up{secret}", "/etc/passwd",
             "/proc/1/root{secret}", "/source/../..{secret}"):
    for mode in ("r", "w"):
        try:
            print(path, mode, open(path, mode).read())
        except OSError:
            print("contained")
"""
    seen = run(workspace, code)
    assert seen.stdout == "contained\n" * 14
    assert secret.read_text() == "the secret"


@pytest.mark.usefixtures("boxed")
def test_nothing_outside_workspace_and_tmp_can_be_written(workspace: Path) -> None:
    code = """
import os
library = os.path.dirname(os.__file__)
for folder in ("/", "/usr", "/usr/bin", "/source", "/dev", "/etc", "/proc", library):
    try:
        open(folder + "/planted", "w")
        print("planted in", folder)
    except OSError:
        pass
for folder in (".", "/tmp", "/dev/shm"):
    open(folder + "/fine", "w").write("x")
"""
    seen = run(workspace, code)
    assert (seen.code, seen.stdout) == (0, "")


@pytest.mark.usefixtures("boxed")
def test_a_fork_bomb_is_held_to_a_few_processes_and_leaves_none(workspace: Path) -> None:
    mark = uuid4().hex
    code = f"""
import os, subprocess, sys, time
started = 0
try:
    while True:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", "{mark}"])
        started += 1
except OSError:
    print(started)
"""
    seen = run(workspace, code, Limits(seconds=120, processes=8))
    assert seen.status == "ended"
    assert 0 < int(seen.stdout) <= 8
    wait_until_none_runs(mark)
    bomb = f"import os  # {mark}\nwhile True:\n    try: os.fork()\n    except OSError: pass"
    seen = run_checks(workspace, [PYTHON, "-c", bomb], Limits(seconds=1))
    assert seen.status == "timeout"
    wait_until_none_runs(mark)


@pytest.mark.usefixtures("boxed")
def test_a_daemon_that_leaves_its_session_ends_with_the_sandbox(workspace: Path) -> None:
    mark = uuid4().hex
    code = f"""
import os, sys
if not os.fork():
    os.setsid()
    if not os.fork():
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", "{mark}"])
    os._exit(0)
os.wait()
"""
    # Whoever waited for the daemon would be stopped by the limit, and say so.
    assert run(workspace, code, PATIENT).status == "ended"
    wait_until_none_runs(mark)


@pytest.mark.usefixtures("boxed")
def test_there_is_no_network(workspace: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"""
import socket
for address in (("127.0.0.1", {port}), ("192.0.2.1", 80)):
    try:
        socket.create_connection(address, 1)
        print("connected")
    except OSError:
        print("contained")
print(sorted(name for _, name in socket.if_nameindex()))
"""
        assert run(workspace, code).stdout == "contained\ncontained\n['lo']\n"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_endless_output_is_cut_and_ended(workspace: Path, stream: str, unsafe: bool) -> None:
    code = f"import sys\nwhile True: sys.{stream}.write('x' * 9999)"
    seen = run(workspace, code, Limits(seconds=120, output=50_000), unsafe=unsafe)
    assert (seen.status, seen.code) == ("flood", None)
    assert getattr(seen, stream) == "x" * 50_000


@pytest.mark.parametrize(
    "code",
    [
        "import time; time.sleep(10_000)",
        "import os, signal\nsignal.signal(15, signal.SIG_IGN)\nos.close(1); os.close(2)\n"
        "while True: pass",
    ],
)
def test_what_does_not_end_is_ended(workspace: Path, code: str, unsafe: bool) -> None:
    seen = run(workspace, code, Limits(seconds=1), unsafe=unsafe)
    # Without a stream the limit on CPU may come first: then a signal is reported.
    assert seen.status == "timeout" or (seen.code or 0) > 128
    wait_until_none_runs(str(workspace))


def test_the_parents_environment_is_out_of_reach(
    workspace: Path,
    unsafe: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("A_KEY", "the-parents-secret")
    monkeypatch.setenv("PYTHONPATH", "/the-parents-secret")
    look = "import os; print(dict(os.environ))"
    if not unsafe:
        look += """
for name in os.listdir("/proc"):
    for file in ("environ", "cmdline"):
        try:
            print(open(f"/proc/{name}/{file}").read())
        except OSError:
            pass
"""
    seen = run(workspace, look, unsafe=unsafe)
    assert seen.code == 0
    assert "PYTHONHASHSEED" in seen.stdout
    assert "the-parents-secret" not in seen.stdout


def test_memory_and_files_are_bounded(workspace: Path, unsafe: bool) -> None:
    limits = Limits(memory=200 << 20, file=1 << 20)
    assert "MemoryError" in run(workspace, "bytearray(1 << 30)", limits, unsafe).stderr
    large = run(workspace, "open('large', 'wb').write(bytes(2 << 20))", limits, unsafe)
    assert "File too large" in large.stderr


@pytest.mark.usefixtures("boxed")
def test_many_files_fill_no_disk_of_ours(workspace: Path) -> None:
    code = "for n in range(99): open(f'/workspace/{n}', 'wb').write(bytes(1 << 20))"
    assert "No space left" in run(workspace, code, Limits(disk=8 << 20)).stderr


@pytest.mark.usefixtures("boxed")
def test_it_has_no_rights_and_gains_none(workspace: Path) -> None:
    code = """
import os
status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines())
print(int(status["CapEff"], 16), int(status["CapPrm"], 16), status["NoNewPrivs"].strip())
print(0 in (os.getuid(), os.geteuid(), os.getgid()), os.getgroups() in ([], [1000], [65534]))
try:
    os.setuid(0)
    print("root")
except OSError:
    print("contained")
"""
    assert run(workspace, code).stdout == "0 0 1\nFalse True\ncontained\n"


@pytest.mark.usefixtures("boxed")
def test_a_workspace_that_cannot_be_copied_is_refused_in_one_line(
    workspace: Path, tmp_path: Path
) -> None:
    with pytest.raises(GameError, match="no such folder"):
        run_checks(tmp_path / "nowhere", [PYTHON])
    with pytest.raises(GameError, match="is not a program"):
        run_checks(workspace, ["no-such-program"])
    (workspace / "large").write_bytes(bytes(3 << 20))
    with pytest.raises(GameError, match="could not be run") as caught:
        run_checks(workspace, [PYTHON, "hello.py"], Limits(disk=2 << 20))
    assert "\n" not in str(caught.value)
    (workspace / "large").unlink()
    os.mkfifo(workspace / "pipe")
    with pytest.raises(GameError, match="pipe is not a file"):
        run_checks(workspace, [PYTHON, "hello.py"])


def test_without_bubblewrap_foreign_code_is_refused(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name, **_: None)
    require_sandbox.cache_clear()
    with pytest.raises(SandboxMissing, match="install the package bubblewrap"):
        run_checks(workspace, [PYTHON, "hello.py"])
    assert run_checks(workspace, [PYTHON, "hello.py"], unsafe=True).stdout == "hello\n"


def test_a_bubblewrap_that_the_kernel_forbids_is_refused_with_its_words(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setattr("shutil.which", lambda name, **_: str(fake))
    require_sandbox.cache_clear()
    with pytest.raises(SandboxMissing, match="No permissions to create new namespace"):
        run_checks(workspace, [PYTHON, "hello.py"])
