"""The options of `coop settle-git`, with their help texts."""

from pathlib import Path
from typing import Annotated

import typer

Repo = Annotated[Path, typer.Argument(help="A git repository.")]
Range = Annotated[str | None, typer.Option("--range", help="A..B: only these commits.")]
Bounty = Annotated[str, typer.Option(help="What there is to divide.")]
Rules = Annotated[
    Path | None, typer.Option(help="A file of rules on what counts; docs/settle-git.md.")
]
Mailmap = Annotated[
    Path | None,
    typer.Option(
        help="A file that says which addresses are one person's; the repository's own, "
        "which anybody who may commit can write, counts only if it is named here."
    ),
]
Model = Annotated[
    str,
    typer.Option(
        help="Who answers for every contributor: human, or a model; if not given, "
        "embedded:rational, and human with --for-payment."
    ),
]
Agents = Annotated[
    list[str] | None,
    typer.Option(help="NAME=human or NAME=provider:name: who answers for one contributor."),
]
Seed = Annotated[int, typer.Option(help="Of embedded agents.", min=0)]
ForPayment = Annotated[
    bool,
    typer.Option("--for-payment", help="For real money: refuse every simulated seat."),
]
Serve = Annotated[
    str, typer.Option(help="HOST:PORT: serve a seat page for each person, and print its link.")
]
Deadline = Annotated[
    float, typer.Option(help="Seconds that a person has for a reply; 0 is none.", min=0)
]
Score = Annotated[
    str,
    typer.Option(
        help="A command that scores the repository, run in the sandbox on what is left without "
        "each contributor's commits."
    ),
]
Explain = Annotated[
    bool, typer.Option("--explain", help="Say for what each unit of money is paid.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Count and divide; ask nobody, write nothing.")
]
Markdown = Annotated[Path | None, typer.Option(help="Write a comment ready to paste.")]
