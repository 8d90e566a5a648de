"""Programs that try to forge their verdict, to use more than they may, or to get out."""

import os
import sys
from pathlib import Path

import pytest

from extensions.sandbox.tests.test_sandbox import run
from shapley_coop.extensions.company.task import Check, Task, shown
from shapley_coop.games.sandbox import PYTHON, Limits

pytestmark = pytest.mark.slow

CALL = """
import ctypes, os, platform
calls = ctypes.CDLL(None, use_errno=True)
def call(*args):
    ctypes.set_errno(0)
    return calls.syscall(*args), ctypes.get_errno()
column = ["x86_64", "aarch64"].index(platform.machine())
"""
"""Gives a program the function `call`: its result and errno; and `column`, of numbers."""

boxed = pytest.mark.usefixtures("boxed")


@pytest.mark.parametrize("code", [0, 1, 125, 126, 127, 255])
def test_no_exit_code_and_no_word_is_taken_for_our_own_refusal(
    tmp_path: Path, unsafe: bool, code: int
) -> None:
    hostile = f"import sys\nsys.stderr.write('sandbox: x\\nbwrap: y\\n')\nsys.exit({code})"
    seen = run(tmp_path, hostile, unsafe=unsafe)
    assert (seen.status, seen.code, seen.stderr) == ("ended", code, "sandbox: x\nbwrap: y\n")


def test_what_a_program_writes_on_any_descriptor_is_no_verdict(
    tmp_path: Path, unsafe: bool
) -> None:
    forge = """
import os, sys
said = b'{"refused": "x"}\\n{"ended": 0}\\n'
for number in [*range(3, 1024), *range(3, 64)]:
    try:
        os.write(number, said)
    except OSError:
        pass
for process in ("1", str(os.getppid())) if SEALED else ():
    try:
        opened = os.listdir(f"/proc/{process}/fd")
    except OSError:
        continue
    for number in opened:
        try:
            open(f"/proc/{process}/fd/{number}", "wb").write(said)
        except OSError:
            pass
sys.exit(7)
""".replace("SEALED", str(not unsafe))
    seen = run(tmp_path, forge, unsafe=unsafe)
    assert (seen.status, seen.code) == ("ended", 7)


@boxed
def test_the_first_process_can_be_neither_ended_nor_read_nor_traced(tmp_path: Path) -> None:
    code = """
import os, signal
for number in (9, 15, 19, 11, 2):
    try:
        os.kill(1, number)
    except OSError:
        pass
for file in ("mem", "environ", "maps", "fd/0", "root"):
    try:
        print(file, bool(os.listdir(f"/proc/1/{file}") if file == "root" else
                         open(f"/proc/1/{file}", "rb").read(9)))
    except OSError:
        pass
raise SystemExit(3)
"""
    seen = run(tmp_path, code)
    assert (seen.status, seen.code, seen.stdout) == ("ended", 3, "")


@boxed
def test_no_user_namespace_can_be_made_and_no_keyring_used(tmp_path: Path) -> None:
    code = (
        CALL
        + """
NEWUSER = 0x10000000
clone, keyctl, add_key, unshare, setns = (
    (56, 250, 248, 272, 308), (220, 219, 217, 97, 268))[column]
print("unshare", call(unshare, NEWUSER))
print("clone", call(clone, NEWUSER | 17, 0, 0, 0, 0))
print("clone3", call(435, 0, 0))
print("setns", call(setns, os.open("/proc/self/ns/user", os.O_RDONLY), 0))
print("keyctl", call(keyctl, 0, -3, 1))
print("add_key", call(add_key, b"user", b"x", b"y", 1, -2))
print("newer", call(460))
"""
    )
    seen = run(tmp_path, code)
    assert seen.stdout.splitlines() == [
        *(f"{name} (-1, 1)" for name in ("unshare", "clone")),
        "clone3 (-1, 38)",
        *(f"{name} (-1, 1)" for name in ("setns", "keyctl", "add_key")),
        "newer (-1, 38)",
    ]


@boxed
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the ABI is x86_64's own")
def test_another_abi_is_no_way_around_the_filter(tmp_path: Path) -> None:
    seen = run(tmp_path, CALL + "print(call(0x40000000 + 272, 0x10000000))")
    assert seen.stdout == "(-1, 38)\n"


@boxed
def test_memory_that_no_process_shows_cannot_be_had(tmp_path: Path) -> None:
    code = (
        CALL
        + """
import mmap
memfd, shmget, mq_open = ((319, 29, 240), (279, 194, 180))[column]
print("memfd", call(memfd, b"x", 0)[0])
print("shmget", call(shmget, 0, 1 << 20, 0o1600)[0])
print("mq_open", call(mq_open, b"/x", 0o102, 0o600, 0)[0])
try:
    mmap.mmap(-1, 4096)
    print("shared")
except OSError:
    print("refused")
try:
    mmap.mmap(os.open("/dev/zero", os.O_RDWR), 4096)
    print("shared")
except OSError:
    print("refused")
print(len(mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)))
"""
    )
    seen = run(tmp_path, code)
    told = ["memfd -1", "shmget -1", "mq_open -1", "refused", "refused", "4096"]
    assert seen.stdout.splitlines() == told, seen.stderr


@boxed
def test_memory_is_bounded_for_all_processes_together(tmp_path: Path) -> None:
    code = """
import os, time
for _ in range(6):
    if not os.fork():
        held = bytearray(os.urandom(1)) * (60 << 20)
        time.sleep(600)
time.sleep(600)
"""
    seen = run(tmp_path, code, Limits(seconds=300, memory=200 << 20))
    assert (seen.status, seen.code, seen.passed) == ("memory", None, False)
    assert shown(seen) == "used more memory than it may"


@boxed
def test_what_is_written_is_bounded_for_all_folders_together(tmp_path: Path) -> None:
    code = """
written = 0
for folder in ("/workspace", "/tmp", "/dev/shm"):
    try:
        for n in range(99):
            with open(f"{folder}/{n}", "wb", buffering=0) as file:
                written += file.write(bytes(1 << 18))
    except OSError:
        pass
print(written)
"""
    seen = run(tmp_path, code, Limits(seconds=120, disk=16 << 20))
    assert 12 << 20 < int(seen.stdout) <= 16 << 20


@boxed
def test_the_number_of_files_is_bounded(tmp_path: Path) -> None:
    code = "n = 0\nwhile True:\n    n += 1\n    open(f'/tmp/{n}', 'w').close()"
    seen = run(tmp_path, code, Limits(seconds=300, files=500))
    assert seen.status == "files"


@boxed
def test_what_programs_usually_do_is_let_through(tmp_path: Path) -> None:
    code = """
import asyncio, multiprocessing, sqlite3, subprocess, sys, tempfile, threading

def square(n): return n * n

async def two():
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "print(2)", stdout=-1)
    return (await process.communicate())[0]

if __name__ == "__main__":
    ended = []
    thread = threading.Thread(target=ended.append, args=(1,))
    thread.start(); thread.join()
    with multiprocessing.Pool(2) as pool:
        squares = pool.map(square, [1, 2])
    one = subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True).stdout
    with tempfile.NamedTemporaryFile() as file:
        sqlite3.connect(file.name).execute("create table t (x)")
    print(ended, squares, one, asyncio.run(two()))
"""
    seen = run(tmp_path, code)
    assert seen.stdout == "[1] [1, 4] b'1\\n' b'2\\n'\n", seen.stderr


@boxed
def test_a_company_whose_program_pretends_to_be_the_sandbox_fails_its_check_and_plays_on() -> None:
    from shapley_coop.extensions.company.checks import in_sandbox

    task = Task(title="x", checks=[Check(command=[PYTHON, "main.py"])])
    found = in_sandbox({"main.py": "import sys; sys.exit('sandbox: x') or 125\n"}, task)
    assert [one["passed"] for one in found] == [False]
    bricks = "import os\nos.write(2, b'sandbox: x\\n')\nos._exit(125)\n"
    found = in_sandbox({"main.py": bricks}, task)
    assert found[0]["found"] == "exit 125: sandbox: x"


@boxed
def test_no_socket_leads_out_of_the_sandbox(tmp_path: Path) -> None:
    """AF_VSOCK reaches the hypervisor from any namespace; AF_ALG and others the kernel alone."""
    code = """
import socket
def made(make):
    try:
        make().close()
    except OSError as error:
        return error.errno == 97
def of(family):
    return lambda: socket.socket(family, 3 if family == 16 else 2)
print([family for family in range(64) if not made(of(family))])
print(made(lambda: socket.socketpair(30, 2)[0]), made(lambda: socket.socketpair()[0]))
"""
    seen = run(tmp_path, code)
    assert seen.stdout.splitlines() == ["[1, 2, 10, 16]", "True None"], seen.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="the filter is the Linux kernel's")
def test_the_filter_names_every_call_as_this_machines_libseccomp_does() -> None:
    import ctypes
    import platform

    from shapley_coop.extensions.sandbox.syscalls import _FORBIDDEN

    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        pytest.skip("libseccomp is not installed")
    column = ["x86_64", "aarch64"].index(platform.machine())
    for name, numbers in _FORBIDDEN.items():
        known = library.seccomp_syscall_resolve_name(name.encode())
        assert numbers[column] in (known, None), name
