"""The command `coop check`: it verifies and recomputes an export from this home or another."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shapley_coop.cli.console import say, say_json, write_file
from shapley_coop.cli.options import Json
from shapley_coop.extensions.proof.check_page import check_page

if TYPE_CHECKING:
    from shapley_coop.extensions.proof.keys import PublicKey

NOT_SOUND = 1


def check(
    file: Annotated[
        Path | None, typer.Argument(help="A file that coop prove or coop reconcile wrote.")
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(
            help="operator=FILE.pem, AGENT=FILE.pem or principal.AGENT=FILE.pem: the public key "
            "that you trust for this signer, or the name of a key in this home."
        ),
    ] = None,
    need: Annotated[
        list[str] | None,
        typer.Option(help="An agent that must itself have signed everything agreed."),
    ] = None,
    log: Annotated[
        list[str] | None,
        typer.Option(help="PARTY=FILE: a log from which coop reconcile computed the file."),
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="Write a page that checks exports in a browser.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check an export: signatures, hashes, play, breaches, values and transfers, all recomputed.

    The check needs nothing from the run's home, and from this home only the keys that you name.
    """
    if page is not None:
        _write_page(page)
    if file is not None:
        _check_file(file, key or (), need or (), log or (), as_json)
    elif page is None:
        raise ValueError("give the file to check, or --page FILE.html to write a checking page")


def _check_file(
    file: Path,
    key: Sequence[str],
    need: Sequence[str],
    log: Sequence[str],
    as_json: bool,
) -> None:
    from shapley_coop.extensions.proof.checking import check as recompute

    try:
        content = file.read_bytes()
    except OSError as error:
        raise ValueError(f"{file}: cannot be read as an export: {error.strerror}") from None
    findings = recompute(content, keys_given(key), need, str(file), _logs(log))
    wrong = sum(not finding.sound for finding in findings)
    if as_json:
        say_json({"sound": not wrong, "checks": [vars(finding) for finding in findings]})
    else:
        for finding in findings:
            say(f"{'ok  ' if finding.sound else 'FAIL'}  {finding.what}: {finding.found}")
        say(f"{wrong} of {len(findings)} checks failed." if wrong else "All of it holds.")
    if wrong:
        sys.exit(NOT_SOUND)


def _logs(given: Sequence[str]) -> dict[str, Path]:
    """Return party → the log that one `--log` option names.

    Raises:
        ValueError: an option names no party or no file.
    """
    found: dict[str, Path] = {}
    for one in given:
        party, _, file = one.partition("=")
        if not party or not Path(file).is_file():
            raise ValueError(f"--log {one}: give PARTY=FILE, a file that is here")
        found[party] = Path(file)
    return found


def _write_page(page: Path) -> None:
    if page.suffix != ".html":
        raise ValueError(f"--page {page}: give the page a name that ends in .html")
    write_file(page, check_page(), "--page")
    say(str(page))


def keys_given(given: Sequence[str]) -> "dict[str, PublicKey]":
    """Return party → public key.

    Raises:
        ValueError: a party has two keys.
    """
    found: dict[str, PublicKey] = {}
    for name, key in map(_known, given):
        if name in found:
            raise ValueError(f"--key {name} is given twice: give one key for each name")
        found[name] = key
    return found


def _known(given: str) -> "tuple[str, PublicKey]":
    """Return the party and the public key that one `--key` option names."""
    from shapley_coop.extensions.proof.home_keys import key_of
    from shapley_coop.extensions.proof.keys import read_public
    from shapley_coop.extensions.proof.options import key_named

    name, equals, key = given.partition("=")
    if not equals or not name or not key:
        raise ValueError(f"--key {given}: give operator=FILE.pem, or AGENT=FILE.pem")
    found = key_named(key)
    return name, read_public(found, key) if found != key else key_of(key).public
