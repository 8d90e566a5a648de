"""Functions that commands share: output, progress in a terminal, and asynchronous work."""

import json
import os
import sys
from collections.abc import Callable, Collection, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Literal, TypeVar

from shapley_coop.escaping import visible

Result = TypeVar("Result")


def finish(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end, and return its result; see `cli.stopping` for signals."""
    from shapley_coop.cli.stopping import run_stoppable  # slow, and `coop --help` does not need it

    return run_stoppable(work)


def say(text: str = "") -> None:
    """Write one line to standard output; if the reader has closed the pipe, discard all output.

    Control characters in the text are escaped (`visible`), so that the text stays one line.
    """
    try:
        sys.stdout.write(visible(text) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # `coop run … | head` closes the pipe, but the run must be played to its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say_lines(text: str) -> None:
    """Write each line of a text by `say`; line breaks must not come from users or models."""
    for line in text.split("\n"):
        say(line)


def note(text: str) -> None:
    """Write one line to standard error, for progress but never for results."""
    sys.stderr.write(visible(text) + "\n")
    sys.stderr.flush()


def complain(text: str) -> None:
    """Write an error message as one line to standard error."""
    note("coop: " + " ".join(text.split()))


def say_json(value: Any) -> None:
    """Write one JSON value to standard output, with invisible characters escaped."""
    say_lines(json.dumps(value, ensure_ascii=False, indent=2))


def write_file(out: Path, text: str, option: str = "--out") -> None:
    """Write a file atomically, and create the folder if it is missing.

    Raises:
        ValueError: the file cannot be written.
    """
    from shapley_coop.written_files import replace_file

    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        replace_file(out, text)
    except OSError as error:
        raise ValueError(f"{option} {out}: cannot be written ({error.strerror})") from None


@contextmanager
def progress(total: int, what: str) -> Iterator[Any]:
    """Show a progress bar in a terminal; yield a function that advances it by one."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(escape(visible(what)), total=total)
        yield lambda: bar.advance(task)


@contextmanager
def show_spinner(what: str) -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Show a spinner in a terminal; yield a context manager that hides it while a person types."""
    if not sys.stderr.isatty():
        yield nullcontext
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(visible(what))) as spinner:

        @contextmanager
        def hidden() -> Iterator[None]:
            spinner.stop()
            try:
                yield
            finally:
                spinner.start()

        yield hidden


def show_table(
    title: str,
    columns: list[str],
    rows: list[list[str]],
    caption: str = "",
    whole: str = "",
    words: Collection[str] = (),
) -> None:
    """Write a table to standard output, 160 characters wide if the output is not a terminal.

    Args:
        title: the title above the table.
        columns: the heads of the columns.
        rows: the cells as plain text, not markup.
        caption: the caption below the table.
        whole: the head of the column whose cells are never wrapped.
        words: the heads of the text columns, which are aligned left like the first column.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    def cell(text: str, style: str = "") -> Text:
        return Text(visible(text), style=style)

    table = Table(
        title=cell(title, "table.title"),
        caption=cell(caption, "table.caption") if caption else None,
        title_justify="left",
    )
    for n, column in enumerate(columns):
        justify: Literal["left", "right"] = "left" if n == 0 or column in words else "right"
        table.add_column(cell(column), justify=justify, no_wrap=column == whole)
    for row in rows:
        table.add_row(*map(cell, row))
    Console(width=None if sys.stdout.isatty() else 160).print(table)
