"""Which shard of a sweep a process is: as it is told, or as Kubernetes and Slurm number tasks.

>>> shard_from("1/2", {})
(1, 2)
>>> shard_from("auto", {"JOB_COMPLETION_INDEX": "0", "JOB_COMPLETIONS": "8"})
(1, 8)
>>> shard_from("auto/8", {"SLURM_ARRAY_TASK_ID": "7"})
(8, 8)
"""

import os
from collections.abc import Mapping, Sequence

from shapley_coop.evals.sweeps.suite import Cell
from shapley_coop.state import home
from shapley_coop.state.storage.at_rest import private_folder
from shapley_coop.state.storage.home import DATABASE_VARIABLE, HOME_VARIABLE

AUTO = "auto"
SHARDS, KEYS = "shards", "keys"


def shard(cells: Sequence[Cell], part: int, parts: int) -> list[Cell]:
    """One of `parts` disjoint parts, from 1.

    A cell's part does not change when seeds are added, and every part has all conditions.

    Raises:
        ValueError: there is no such part.
    """
    if not 1 <= part <= parts:
        raise ValueError(f"shard {part}/{parts}: give i/n with 1 ≤ i ≤ n")
    return [c for c in cells if (c.condition + c.seed + c.repetition) % parts == part - 1]


def shard_from(given: str, environ: Mapping[str, str]) -> tuple[int, int] | None:
    """Read i/n, `auto` or `auto/n`; empty is none.

    `auto` is the task of an Indexed Job of Kubernetes, whose manifest sets JOB_COMPLETIONS beside
    the JOB_COMPLETION_INDEX that Kubernetes sets, or of an array of Slurm without gaps. With n the
    tasks are numbered from 0 to n − 1, and some of them can be run again alone.

    Returns:
        The part, from 1, and the number of parts.

    Raises:
        ValueError: it is none of these, or the environment does not say which task this is.
    """
    part, slash, parts = given.partition("/")
    if not given:
        return None
    if part == AUTO and (not slash or _positive(parts)):
        return _task(environ, int(parts) if slash else None)
    if slash and part.isdigit() and _positive(parts):
        return int(part), int(parts)
    raise ValueError(f"--shard {given}: give i/n, as in 1/2, or auto, or auto/n")


def _task(environ: Mapping[str, str], parts: int | None) -> tuple[int, int]:
    if "JOB_COMPLETION_INDEX" in environ:
        number, count = _number(environ, "JOB_COMPLETION_INDEX"), parts
        if count is None:
            count = _number(environ, "JOB_COMPLETIONS", "set it to the Job's completions")
    elif "SLURM_ARRAY_TASK_ID" in environ:
        number, count = _number(environ, "SLURM_ARRAY_TASK_ID"), parts
        if count is None:
            return _of_array(environ, number)
    else:
        raise ValueError(
            "--shard auto: neither JOB_COMPLETION_INDEX (Kubernetes) nor SLURM_ARRAY_TASK_ID "
            "(Slurm) is set: give i/n"
        )
    if not 0 <= number < count:
        raise ValueError(f"--shard auto: task {number} of {count}: number them from 0 to n - 1")
    return number + 1, count


def _of_array(environ: Mapping[str, str], number: int) -> tuple[int, int]:
    count, low, high = (
        _number(environ, f"SLURM_ARRAY_TASK_{name}", "use --shard auto/n, and ids from 0 to n - 1")
        for name in ("COUNT", "MIN", "MAX")
    )
    if high - low + 1 != count:
        raise ValueError(
            f"--shard auto: the array's ids {low} to {high} have gaps, as it has {count} tasks: "
            "use --shard auto/n, and ids from 0 to n - 1"
        )
    return number - low + 1, count


def _number(environ: Mapping[str, str], name: str, hint: str = "it is no number") -> int:
    text = environ.get(name, "")
    if not text.isdigit():
        raise ValueError(f"--shard auto: {name} is {text!r}: {hint}")
    return int(text)


def _positive(text: str) -> bool:
    return text.isdigit() and int(text) > 0


def live_in_home_of(part: int, parts: int) -> None:
    """Give this process a home of the shard's own inside the home, with the same secrets.

    Shards then share no database file, over a network file system least of all. A database server
    is made for many writers and stays shared.
    """
    if os.environ.get(DATABASE_VARIABLE):
        return
    shared = home()
    own = shared.folder / SHARDS / f"{part}of{parts}"
    private_folder(own)
    for kept in (shared.secrets, shared.folder / KEYS):
        link = own / kept.name
        if kept.exists() and not link.exists():
            link.symlink_to(kept.resolve())
    os.environ[HOME_VARIABLE] = str(own)
