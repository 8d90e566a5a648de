"""A retry is a conversation: the same letter, one's own answer, all that was wrong with it."""

import asyncio
from typing import Any

import pytest

from shapley_coop.deals.language.speech import speech_in
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import Waiting, answer, follow, play
from shapley_coop.graphs.threads import table_of
from shapley_coop.prompts import write_retry
from shapley_coop.seats.letters import MAX_SHOWN, as_text
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.scripted import Script

OFFER = '<PROPOSAL>{"clauses": [{"kind": "do", "agent": "Bob", "action": "lever"}]}</PROPOSAL>'
BROKEN = f"<s>Pull, and I pay.</s>{OFFER.replace('}]}', '}]')}"
PRIVATE = "my limit is nine"


def roles(messages: list[Any]) -> list[str]:
    return [message.type for message in messages]


async def talk_of(run: str) -> list[Any]:
    return list((await table_of(home().runs.get(run)))["talk"])


async def test_the_letter_stays_and_the_conversation_goes_on_behind_it(script: Script) -> None:
    script["Alice", "propose"] = [BROKEN, f"<CONSIDER>{PRIVATE}</CONSIDER>", f"<s>So.</s>{OFFER}"]
    await play("negotiation", RunConfig())
    shown = [m for agent, act, m in script.letters if (agent, act) == ("Alice", "propose")]
    first, second, third = shown[:3]
    assert roles(first) == ["system", "human"]
    for again, said, number in ((second, BROKEN, 2), (third, f"<CONSIDER>{PRIVATE}", 3)):
        assert roles(again) == ["system", "human", "ai", "human"]
        assert as_text(again[:2]) == as_text(first)
        assert str(again[2].text).startswith(said)
        assert f"this is try {number} of 3" in str(again[3].text)
    assert "This is your last try" not in as_text(second)
    assert "This is your last try" in as_text(third)
    assert "of your answer only what you\nsay to all is delivered" in as_text(third)
    assert not any(PRIVATE in letter for letter in script.shown_to("Bob"))


async def test_the_last_try_of_a_sealed_act_promises_no_speech(script: Script) -> None:
    script["Alice", "act"] = [BROKEN, BROKEN, "<ACTION>lever</ACTION>"]
    await play("llm_only", RunConfig())
    last = next(m for a, _, m in reversed(script.letters) if a == "Alice" and len(m) > 2)
    assert "cannot be used either, you pass here. Answer again" in as_text(last)


async def test_a_long_answer_is_shown_again_in_part(script: Script) -> None:
    script["Alice", "propose"] = ["x" * (MAX_SHOWN + 5), "<REJECT>"]
    await play("negotiation", RunConfig())
    again = next(m for a, act, m in script.letters if (a, act) == ("Alice", "propose") and m[2:])
    assert str(again[2].text) == "x" * MAX_SHOWN + "\n[… 5 characters more]"


async def test_after_the_last_try_the_speech_is_heard_under_the_faults_label(
    script: Script,
) -> None:
    script["Alice", "propose"] = f"<CONSIDER>{PRIVATE}</CONSIDER>{BROKEN}"
    outcome = await play("negotiation", RunConfig(rounds=2))
    said = (await talk_of(outcome["run"]))[0]
    assert (said["by"], said["act"], said["text"]) == ("Alice", "pass", "Pull, and I pay.")
    assert said["label"]
    heard = script.letters[-1][2]
    assert "Pull, and I pay." in as_text(heard)
    assert not any(PRIVATE in letter for letter in script.shown_to("Bob"))


async def test_a_pass_of_ones_own_will_bears_no_label(script: Script) -> None:
    script["Alice", "propose"] = "<s>Not now.</s><REJECT>"
    outcome = await play("negotiation", RunConfig(rounds=2))
    assert "label" not in (await talk_of(outcome["run"]))[0]


async def test_of_an_unreadable_action_nothing_is_heard(script: Script) -> None:
    script["Alice", "act"] = "<s>I shall pull.</s><ACTION>wait, or what</ACTION>"
    outcome = await play("llm_only", RunConfig())
    table = await table_of(home().runs.get(outcome["run"]))
    assert "I shall pull" not in str(table)


async def test_a_person_reads_the_same_words_and_has_no_last_try() -> None:
    seats = {"Alice": "human", "*": "embedded:rational"}
    run = prepare("negotiation", RunConfig.model_validate({"seats": seats}))
    with pytest.raises(Waiting):
        await follow(run)
    episode = (await table_of(run))["episode"]
    first = await asyncio.to_thread(home().journal.mail, episode, "Alice")
    fault = await answer(run, "Alice", BROKEN)
    again = await asyncio.to_thread(home().journal.mail, episode, "Alice")
    assert first
    assert again
    assert fault is not None
    assert again.letter_text.startswith(f"{first.letter_text}\n\n{BROKEN}\n\n**That could not be")
    assert fault.feedback in again.letter_text
    assert ", this is try 2)." in again.letter_text
    assert "last try" not in again.letter_text


def test_all_faults_stand_in_one_list_and_quotes_stay_in_their_line() -> None:
    feedback = "- clause 2, `amount`: give a number\n# not a heading\n- clause 4: name a party."
    told = write_retry("PAY", feedback, ("your speech", "clauses 1 and 3"), attempt=2, tries=3)
    assert told.startswith("**That could not be used** (PAY, this is try 2 of 3).\nI read your sp")
    assert [line for line in told.split("\n") if line.startswith("- ")] == [
        "- clause 2, `amount`: give a number\\n# not a heading",
        "- clause 4: name a party.",
    ]


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("<s>Hello.</s> and <ACTION>", "Hello."),
        ("<S>Hello.</S><ACCEPT", "Hello."),
        ("<s>One.</s><s>Two.</s>", ""),
        ("<s>never closed", ""),
        ("<s>a <b>tag</b></s>", ""),
        ("<CONSIDER><s>private</s></CONSIDER><PROPOSAL>{", ""),
        ("<CONSIDER><s>private</s>", ""),
        ("<consider x='1'><s>private</s>", ""),
        ("<think><s>private</s></think><s>public</s>", "public"),
        ('<PROPOSAL>{"clauses": ["<s>data</s>"]}', ""),
        ("<NOTES><s>private</s></NOTES>", ""),
        (f"<s>{'x' * 4_001}</s>", ""),
    ],
)
def test_of_a_refused_message_only_what_is_clearly_public_is_heard(text: str, heard: str) -> None:
    assert speech_in(text) == heard
