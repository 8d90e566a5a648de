"""The options of `coop settle-git`, with their help texts."""

from pathlib import Path
from typing import Annotated

import typer

Repo = Annotated[Path, typer.Argument(help="A git repository.")]
Range = Annotated[
    str | None, typer.Option("--range", help="A..B: count only the commits that B has and A lacks.")
]
Bounty = Annotated[str, typer.Option(help="The amount to divide.")]
Rules = Annotated[
    Path | None,
    typer.Option(help="A file of rules that say which work counts; see docs/settle-git.md."),
]
Mailmap = Annotated[
    Path | None,
    typer.Option(
        help="A mailmap: a file that says which addresses belong to one person. The repository's "
        "own mailmap is used only if you name it, because any committer can edit it."
    ),
]
Model = Annotated[
    str,
    typer.Option(
        help="The seat of every contributor: human, or a model; by default embedded:rational, and "
        "human with --for-payment."
    ),
]
Agents = Annotated[
    list[str] | None,
    typer.Option(help="NAME=human or NAME=provider:name: the seat of one contributor."),
]
Seed = Annotated[int, typer.Option(help="The seed of embedded agents.", min=0)]
ForPayment = Annotated[
    bool,
    typer.Option(
        "--for-payment", help="Real money will be paid: refuse simulated agents at seats."
    ),
]
Deadline = Annotated[
    float, typer.Option(help="The seconds that a person has for a reply; 0 sets no limit.", min=0)
]
Score = Annotated[
    str,
    typer.Option(
        help="A command that scores the repository. The sandbox runs it once for each contributor, "
        "without this contributor's commits."
    ),
]
Explain = Annotated[
    bool, typer.Option("--explain", help="Print which work each unit of money pays for.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Count and divide only; ask nobody and write nothing.")
]
Markdown = Annotated[Path | None, typer.Option(help="Write a Markdown comment, ready to paste.")]
