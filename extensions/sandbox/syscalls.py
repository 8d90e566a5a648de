"""The kernel's filter that forbids certain system calls to a sandboxed program.

Like Docker's and Flatpak's, this filter lists the forbidden calls. It forbids new namespaces, which
would give a program rights over its own file systems; keyrings, which belong to a user and not to a
sandbox; the memory and descriptors of other processes; memory that no limit counts (memfd, System V
and shared anonymous memory); and parts of the kernel that programs do not need. Only sockets of
families that namespaces confine are allowed, so AF_VSOCK, which reaches the hypervisor, is not. A
system call newer than this list fails with ENOSYS, as in an older kernel.

bubblewrap loads the filter, a classic BPF program, unchanged (`--seccomp`). The only binding of
libseccomp for Python has had no release since 2020.
"""

import os
import platform
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EAFNOSUPPORT, ENOSYS, EPERM

_LOAD, _EQUAL, _ABOVE, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x54, 0x06
_ALLOW, _FAIL, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCHITECTURE, _FIRST, _FOURTH = 0, 4, 16, 40  # offsets in struct seccomp_data
_NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET
_SHARED_ANONYMOUS, _KIND_OF_MAP = 0x21, 0x2F  # the flags of mmap
_NEWEST = 448  # process_mrelease; numbers from 424 on are the same on every machine

# Numbers on x86_64 and on aarch64, from libseccomp; None if there is no such call.
_FORBIDDEN: dict[str, tuple[int | None, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "migrate_pages": (256, 238),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_madvise": (440, 440),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "semget": (64, 190),
    "setns": (308, 268),
    "shmget": (29, 194),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "vhangup": (153, 58),
}
_FAMILIES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: confined by namespaces
# Audit architecture; numbers of clone, mmap, (socket, socketpair); index in _FORBIDDEN's tuples.
_MACHINES = {
    "x86_64": (0xC000003E, 56, 9, (41, 53), 0),
    "aarch64": (0xC00000B7, 220, 222, (198, 199), 1),
}
_CLONE3 = 435


def machine_known() -> bool:
    """Return whether there is a filter for this machine's architecture."""
    return platform.machine() in _MACHINES


Step = tuple[int, int, int, int]
"""A BPF instruction: its code, the jump offsets if true and if false, and the operand."""


def filter_program() -> bytes:
    """Return the filter for this machine, as an array of `struct sock_filter`.

    Raises:
        KeyError: this machine's architecture is unknown; see `machine_known`.
    """
    architecture, clone, mmap, sockets, column = _MACHINES[platform.machine()]
    steps: list[Step] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),  # another architecture has other call numbers
        (_LOAD, 0, 0, _NUMBER),
        # Newer calls, x32 calls and clone3 (its flags are hidden) get ENOSYS: libraries fall back.
        (_ABOVE, 1, 0, _NEWEST),
        (_EQUAL, 0, 1, _CLONE3),
        (_RETURN, 0, 0, _FAIL | ENOSYS),
    ]
    for pair in _FORBIDDEN.values():
        if (number := pair[column]) is not None:
            steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _FAIL | EPERM)]
    steps += [
        *_of_families(*sockets),
        (_EQUAL, 0, 4, clone),
        (_LOAD, 0, 0, _FIRST),
        (_ANY_BIT, 0, 1, _NEW_NAMESPACES),
        (_RETURN, 0, 0, _FAIL | EPERM),
        (_RETURN, 0, 0, _ALLOW),
        (_EQUAL, 0, 4, mmap),
        (_LOAD, 0, 0, _FOURTH),
        (_AND, 0, 0, _KIND_OF_MAP),
        (_EQUAL, 0, 1, _SHARED_ANONYMOUS),
        (_RETURN, 0, 0, _FAIL | EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _of_families(socket: int, pair: int) -> list[Step]:
    """Return the steps that allow only sockets of the families in `_FAMILIES`."""
    families = len(_FAMILIES)
    return [
        (_EQUAL, 1, 0, socket),
        (_EQUAL, 0, families + 3, pair),
        (_LOAD, 0, 0, _FIRST),
        *((_EQUAL, families - n, 0, family) for n, family in enumerate(_FAMILIES)),
        (_RETURN, 0, 0, _FAIL | EAFNOSUPPORT),
        (_RETURN, 0, 0, _ALLOW),
    ]


@contextmanager
def filter_file() -> Iterator[int]:
    """Yield a descriptor from which the filter can be read once, for `bwrap --seccomp`."""
    reader, writer = os.pipe()
    try:
        os.write(writer, filter_program())  # fits into a pipe's buffer, so it cannot block
        os.close(writer)
        yield reader
    finally:
        os.close(reader)
