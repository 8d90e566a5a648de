"""`coop answer`, and the prompt for a person at this terminal."""

import re
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop.cli import INTERRUPTED
from shapley_coop.cli.console import finish, note, say, say_lines, show_table
from shapley_coop.cli.options import RunName, words

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager


def answer(
    run: RunName,
    agent: Annotated[str, typer.Argument(help="The agent for which the person answers.")],
    reply: Annotated[
        str,
        typer.Argument(
            help="The answer, or @FILE with the answer; without it, the waiting letter is printed."
        ),
    ] = "",
) -> None:
    """Read the waiting letter of a person, and answer it; then coop resume continues the run.

    At a terminal the letter is shown without XML tags, and the person answers field by field.
    Elsewhere a reply is accepted only after the waiting letter was printed. Otherwise the second of
    two replies in a row would answer a letter that the person has not seen.
    """
    from shapley_coop.extensions.people.standing import ending, ends_of
    from shapley_coop.state.resuming import command_for
    from shapley_coop.state.settings import game_of
    from shapley_coop.state.storage.home import home

    found = home().run(run)
    if not reply and found.result and agent in found.result["payoffs"]:
        game = game_of(found.room)
        ends = ends_of(found.result, agent, game)
        say_lines("\n".join([f"{run} is over.", *ending(found.result, agent, game)]))
        show_table("What each ends with", ends["columns"], ends["rows"])
        say(ends["how"])
        return
    episode, mail = _mail_of(found, agent)
    if not reply:
        _read(found, agent, episode, mail)
        return
    if mail is not None and not home().journal.was_shown(episode, mail):
        raise ValueError(
            f"{agent} has not read the waiting letter, so no reply is accepted: read it with "
            f"{command_for(found, 'answer', agent)}"
        )
    _reply(found, agent, words("the reply", reply))


def _read(run: Any, agent: str, episode: str, mail: Any) -> None:
    """Print the waiting letter; at a terminal, ask for the answer and submit it."""
    from shapley_coop.state.storage.home import home

    if mail is None:
        asked = [a for a in run.room["seats"] if home().journal.mail(episode, a)]
        for_whom = f"; {', '.join(asked)} is waited for" if asked else ""
        raise ValueError(f"no letter waits for {agent} in {run.run}{for_whom}")
    if sys.stdin.isatty() and sys.stdout.isatty():
        _reply(run, agent, *_asked_here(run, agent))
        return
    say_lines(mail.letter_text)
    home().journal.show(episode, mail)


def _reply(run: Any, agent: str, reply: str, meant: str = "") -> None:
    """Submit a reply; raise ValueError with the reason if the reply is refused."""
    from shapley_coop.graphs.running import answer as answer_for
    from shapley_coop.state.resuming import command_for
    from shapley_coop.state.storage.home import home

    fault = finish(answer_for(run, agent, reply, meant=meant))
    episode, mail = _mail_of(run, agent)
    if fault:
        if mail is not None:
            home().journal.show(episode, mail)  # only the reason below is new in the letter
        raise ValueError(f"not taken ({fault.label}): {fault.feedback}")
    if mail is not None:
        note(f"{agent} has answered, and is asked again: {command_for(run, 'answer', agent)}")
    else:
        onward = f"go on with: {command_for(run, 'resume')}"
        if run.graph == "consent":
            onward = "the command that asked, given again, goes on and tells who agreed"
        note(f"{agent} has answered; {onward}")


def _mail_of(run: Any, agent: str) -> tuple[str, Any]:
    """Return the run's episode, and the letter that waits for an agent, or None."""
    from shapley_coop.graphs.threads import table_of
    from shapley_coop.state.storage.home import home

    table = finish(table_of(run))
    episode = table.get("episode", "")
    return episode, home().journal.mail(episode, agent) if episode else None


def _asked_here(run: Any, agent: str) -> tuple[str, str]:
    """Ask at this terminal until a reply can be used; return the reply and the interrupt's id."""
    from shapley_coop.extensions.people.waiting import find_waiting
    from shapley_coop.graphs.replies import OpenMail

    shown: set[str] = set()
    try:
        while found := finish(find_waiting(run, agent)):
            mail, question, asked = found
            reply = _ask_here(OpenMail(**vars(mail), question=question), shown)
            if question.refusal(reply) is None:
                return reply, asked.id
    except (EOFError, KeyboardInterrupt):
        note("nothing is sent: the letter waits")
        sys.exit(INTERRUPTED)
    raise ValueError(f"{agent}'s letter was answered meanwhile")


def _ask_here(mail: Any, shown: set[str]) -> str:
    """Show a letter to a person at this terminal, and return the reply.

    Args:
        mail: the letter, with its open question (`graphs.replies.OpenMail`).
        shown: the sections that the person has seen so far; this letter's sections are added.
    """
    from shapley_coop.extensions.people.fields import can_ask, read_message
    from shapley_coop.extensions.people.form import form_of, refusal_in_words
    from shapley_coop.extensions.people.shown import show_letter

    turn, letter = mail.question.turn(), mail.question.question().letter
    form = form_of(turn, mail.agent, letter.facts)
    sections = [f"# {one.title}\n\n{one.text}\n" for one in mail.question.for_person()]
    show = show_letter
    if not can_ask(form):
        # The person has to type tags and JSON, so show the letter with both.
        sections, show = re.split(r"\n(?=# )", mail.letter_text), say_lines
    say()
    say(f"--- {mail.agent}, {turn.question.title} ---")
    say()
    show("\n".join(one for one in sections if one not in shown or one == sections[-1]))
    shown.update(sections)
    if can_ask(form):
        fault = letter.facts.get("fault")
        return _fill(turn, mail.agent, form, refusal_in_words(turn, fault) if fault else "")
    note(f"{mail.agent}, your message (elements as in the letter; an empty line ends it):")
    return read_message()


def _fill(turn: Any, agent: str, form: Any, why: str) -> str:
    """Return the message that a person makes by filling in a form, or types instead of the form."""
    from shapley_coop.extensions.people.fields import Message, ask_fields
    from shapley_coop.extensions.people.form import message_of

    clauses: list[Any] = []
    while True:
        if why:
            say_lines(why)
        note("Answer field by field, or with a whole message with tags, as models write it.")
        act, why = turn.question.name, ""
        try:
            fields = ask_fields(act, form, clauses)
            if _is_to_be_sent(turn, agent, form, fields):
                return message_of(act, fields)
        except Message as typed:
            return str(typed)
        except ValueError as wrong:
            why = str(wrong)


def _is_to_be_sent(turn: Any, agent: str, form: Any, fields: Any) -> bool:
    """Show what a person is about to send; return False to ask the fields again.

    Raises:
        EOFError: the person sends nothing.
        ValueError: the answer cannot be sent; the message says why.
    """
    from shapley_coop.extensions.people.fields import NAMES, yes_or_again
    from shapley_coop.extensions.people.preview import preview

    seen = preview(turn, agent, fields)
    if seen["why"]:
        raise ValueError(seen["why"])
    labels = form.get("decisions", {}) | form["labels"]
    parts = {
        NAMES.get(name, name): labels.get(x, x)
        for name, x in fields.items()
        if x and not isinstance(x, list)
    }
    tasks = {one["agent"]: "; ".join(one["tasks"]) for one in fields.get("allocation") or ()}
    say("You send:")
    told = [f"  {name}: {x}" for name, x in (parts | tasks).items()]
    say_lines("\n".join(told + seen["words"]))
    if (worth := seen.get("worth")) is not None:
        say(f"Your tasks would be worth {round(worth, 3):g} to you.")
    if outlook := seen.get("outlook"):
        show_table("What each would get", outlook["columns"], outlook["rows"], outlook["how"])
    return yes_or_again()


def ask_at_terminal(hidden: "Callable[[], AbstractContextManager[None]]") -> "Callable[[Any], str]":
    """Return a function that asks people at this terminal, and hides the spinner while they type.

    The function shows a person's first letter whole, and of later letters only new sections.
    """
    shown: dict[str, set[str]] = {}

    def ask(mail: Any) -> str:
        with hidden():
            return _ask_here(mail, shown.setdefault(mail.agent, set()))

    return ask
