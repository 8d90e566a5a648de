"""`coop answer`, and the question to a person who sits at this terminal."""

import sys
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop.cli.console import finish, note, say, say_lines
from shapley_coop.cli.options import RunName, words

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager


def answer(
    run: RunName,
    agent: Annotated[str, typer.Argument(help="The agent whom the person plays.")],
    reply: Annotated[
        str,
        typer.Argument(
            help="The message, or @FILE that holds it; if it is left out, the waiting letter is "
            "printed."
        ),
    ] = "",
) -> None:
    """Read the waiting letter of a person, and answer it; coop resume then goes on.

    A reply is taken for a letter that was read here: of two replies in a row, the second would
    bind its author to an answer to a letter that it has not seen.
    """
    from shapley_coop.state import home

    found = home().run(run)
    episode, mail = _mail_of(found, agent)
    if not reply:
        if mail is None:
            asked = [a for a in found.room["seats"] if home().journal.mail(episode, a)]
            for_whom = f"; {', '.join(asked)} is waited for" if asked else ""
            raise ValueError(f"no letter waits for {agent} in {run}{for_whom}")
        say_lines(mail.letter_text)
        home().read_letters.add(episode, mail)
        return
    if mail is not None and not home().read_letters.has(episode, mail):
        raise ValueError(
            f"{agent} has not read the letter that waits, so that no reply to it is taken: "
            f"read it with coop answer {run} {quote(agent)}"
        )
    _reply(found, agent, words("the reply", reply))


def _reply(run: Any, agent: str, reply: str) -> None:
    """Hand in a reply; one that is refused is told why, and the letter waits on."""
    from shapley_coop.graphs.running import answer as answer_for
    from shapley_coop.state import home

    fault = finish(answer_for(run, agent, reply))
    episode, mail = _mail_of(run, agent)
    if fault:
        if mail is not None:
            home().read_letters.add(episode, mail)  # the same letter, with the reason told here
        raise ValueError(f"not taken ({fault.label}): {fault.feedback}")
    if mail is not None:
        note(f"{agent} has answered, and is asked again: coop answer {run.run} {quote(agent)}")
    else:
        onward = f"go on with: coop resume {run.run}"
        if run.graph == "consent":
            onward = "the command that asked, given again, goes on and tells who agreed"
        note(f"{agent} has answered; {onward}")


def _mail_of(run: Any, agent: str) -> tuple[str, Any]:
    """The run's episode, and the letter that waits for an agent, or None."""
    from shapley_coop.graphs.threads import table_of
    from shapley_coop.state import home

    table = finish(table_of(run))
    episode = table.get("episode", "")
    return episode, home().journal.mail(episode, agent) if episode else None


def _ask_here(mail: Any) -> str:
    """Ask a person at this terminal."""
    say()
    say(f"--- {mail.agent}, you are asked to {mail.act} ---")
    say()
    say_lines("# So far" + mail.letter_text.partition("\n# So far")[2])
    note(f"{mail.agent}, your message (elements as in the letter; one line):")
    line = sys.stdin.readline()
    if not line:
        raise EOFError  # nobody is there any more
    return line.strip()


def asking(hidden: "Callable[[], AbstractContextManager[None]]") -> "Callable[[Any], Any]":
    """Ask a person at this terminal, without a spinner that moves while they type."""

    def ask(mail: Any) -> str:
        with hidden():
            return _ask_here(mail)

    return ask
