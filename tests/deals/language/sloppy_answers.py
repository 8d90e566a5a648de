"""Answers as language models write them: what a trial had refused, and more of the kind.

`snapshots/answers.md` shows them with their verdicts. The two lists are asserted line by line.
"""

import json
from typing import NamedTuple

OFFER = {"kind": "do", "agent": "Alice", "action": "cooperate"}
PAY = {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": 3}


class Written(NamedTuple):
    """One answer.

    Attributes:
        what: what is odd about it.
        act: what it answers: propose, answer, act, claim, reason.
        text: the answer.
        verdict: how it is read, or the label under which it is asked back.
    """

    what: str
    act: str
    text: str
    verdict: str


def clauses(*parts: dict[str, object]) -> str:
    return json.dumps({"clauses": parts or [OFFER]})


def proposal(inner: str) -> str:
    return f"<s>Fair.</s><PROPOSAL>{inner}</PROPOSAL>"


def sent(content: object) -> str:
    return f"<PROPOSAL>{json.dumps(content)}</PROPOSAL>"


def when(condition: object) -> str:
    return proposal(clauses({**OFFER, "when": condition}))


def paying(**more: object) -> str:
    return proposal(clauses({**PAY, **more}))


COOPERATE = "Alice does cooperate at every turn."
PAYS = "Alice pays Bob 3, once."

REFUSED_IN_THE_TRIAL = [
    Written(
        "JSON in a fence, headings around",
        "propose",
        f"## Offer\n<PROPOSAL>\n```json\n{clauses()}\n```\n</PROPOSAL>\n## Why\nIt is fair.",
        COOPERATE,
    ),
    Written("a comma too many", "propose", proposal(clauses()[:-2] + ",]}"), COOPERATE),
    Written("`$3` as an amount", "propose", paying(amount="$3"), PAYS),
    Written(
        "the offer's words inside <ACCEPT>",
        "answer",
        '<ACCEPT>"Alice cooperates at every turn"</ACCEPT>',
        "accept",
    ),
    Written("**Action: cooperate**", "act", "I trust Alice.\n\n**Action: cooperate**", "cooperate"),
    Written("an action in another case", "act", "<ACTION>Cooperate</ACTION>", "cooperate"),
    Written(
        "a call written as words",
        "act",
        '{"name": "ACTION", "arguments": {"action": "cooperate"}}',
        "cooperate",
    ),
    Written("<ACTION> unclosed", "act", "<ACTION>cooperate", "cooperate"),
    Written(
        "two actions in tags",
        "act",
        "<ACTION>cooperate</ACTION> or <ACTION>defect</ACTION>? The first.",
        "DUP",
    ),
    Written("an action in a sentence", "act", "I will keep the contract and cooperate.", "MPT"),
    Written("a plan without tags", "reason", "Offer 3 and settle for 2.", "think"),
    Written("<CONSIDER> unclosed", "reason", "<CONSIDER>Offer 3. Say <ACCEPT> at 2.", "think"),
    Written(
        "one turn in a list", "propose", when({"turns": [2]}), "Alice does cooperate at turn 2."
    ),
    Written("about 18%", "claim", "<CLAIM>about 18%</CLAIM>", "18 %"),
    Written("6 percent", "claim", "<CLAIM>6 percent</CLAIM>", "6 %"),
    Written("12", "claim", "<CLAIM>12</CLAIM>", "12 %"),
    Written("**18%**", "claim", "<CLAIM>**18%**</CLAIM>", "18 %"),
    Written("<ACCEPT/>", "answer", "<ACCEPT/>", "accept"),
    Written("<accept>", "answer", "<accept>", "accept"),
    Written("words inside <ACCEPT>", "answer", "<ACCEPT>I agree</ACCEPT>", "accept"),
    Written("a bare list of clauses", "propose", proposal(json.dumps([OFFER])), COOPERATE),
]
"""Every answer that was refused in a trial of 148 answers of a language model."""

BATTERY = [
    Written("a word before the JSON", "propose", proposal(f"Offer: {clauses()}"), COOPERATE),
    Written("a word after the JSON", "propose", proposal(f"{clauses()} Agreed?"), COOPERATE),
    Written("single quotes", "propose", proposal(clauses().replace('"', "'")), COOPERATE),
    Written(
        "typographic quotes",
        "propose",
        proposal("{“clauses”: [{“kind”: “do”, “agent”: “Alice”, “action”: “cooperate”}]}"),
        COOPERATE,
    ),
    Written(
        "// comments",
        "propose",
        proposal(f"{{ // ours\n{clauses()[1:-1]} /* all */ }}"),
        COOPERATE,
    ),
    Written(
        "Python's None",
        "propose",
        proposal(repr({"clauses": [{**OFFER, "when": None}]})),
        COOPERATE,
    ),
    Written("one clause alone", "propose", proposal(json.dumps(OFFER)), COOPERATE),
    Written(
        "an extra key: reason", "propose", proposal(clauses({**OFFER, "reason": "x"})), COOPERATE
    ),
    Written(
        "a key that could bind", "propose", proposal(clauses({**OFFER, "unless": "x"})), "CLAUSE"
    ),
    Written(
        "type for kind",
        "propose",
        proposal(clauses({"type": "do", "agent": "Alice", "action": "cooperate"})),
        COOPERATE,
    ),
    Written(
        "from and to for payer and payee",
        "propose",
        proposal(clauses({"kind": "pay", "from": "Alice", "to": "Bob", "amount": 3})),
        PAYS,
    ),
    Written(
        "everybody else as payee",
        "propose",
        paying(payee="everybody else"),
        "Alice pays 3, split evenly among all others, once.",
    ),
    Written("3 points", "propose", paying(amount="3 points"), PAYS),
    Written("€3", "propose", paying(amount="€3"), PAYS),
    Written("3 % where a number is due", "propose", paying(amount="3%"), "CLAUSE"),
    Written("three", "propose", paying(amount="three"), "CLAUSE"),
    Written("3 coins each", "propose", paying(amount="3 coins each"), "CLAUSE"),
    Written(
        "a part of the reward in per cent",
        "propose",
        paying(amount="40 percent", per="reward"),
        "Alice pays Bob 40 % of what Alice earns at every turn.",
    ),
    Written(
        "basis for per",
        "propose",
        paying(basis="turn", amount=2),
        "Alice pays Bob 2 for each turn.",
    ),
    Written("when: null", "propose", when(None), COOPERATE),
    Written("when: always", "propose", when("Always"), COOPERATE),
    Written("turn: 2", "propose", when({"turn": 2}), "Alice does cooperate at turn 2."),
    Written(
        "a list of two turns",
        "propose",
        when({"turns": [1, 3]}),
        "Alice does cooperate at turns 1 and 3.",
    ),
    Written(
        "a list of turns in a row",
        "propose",
        when({"turns": [1, 2, 3]}),
        "Alice does cooperate from turn 1 to turn 3.",
    ),
    Written(
        "from and to",
        "propose",
        when({"from": 2, "to": 4}),
        "Alice does cooperate from turn 2 to turn 4.",
    ),
    Written("two conditions in one object", "propose", when({"turn": 2, "every": 3}), "CLAUSE"),
    Written(
        "a name in another case",
        "propose",
        proposal(clauses({**OFFER, "agent": "alice"})),
        COOPERATE,
    ),
    Written("JSON cut off", "propose", f"<PROPOSAL>{clauses()[:-1]}", "MET"),
    Written("one key twice", "propose", proposal('{"clauses": [], "clauses": []}'), "JSON"),
    Written("two objects", "propose", proposal(clauses() + clauses()), "JSON"),
    Written("<PROPOSAL> unclosed", "propose", f"<s>Fair.</s><PROPOSAL>{clauses()}", COOPERATE),
    Written("words without clauses", "propose", "<s>Let us both cooperate.</s>", "MPT"),
    Written("<S> and </S>", "answer", "<S>Gladly.</S><ACCEPT>", "accept, says Gladly."),
    Written(
        "<s> unclosed before <ACCEPT>", "answer", "<s>Gladly. <ACCEPT>", "accept, says Gladly."
    ),
    Written("no, not closed", "answer", "<s>I would never <ACCEPT>", "TAG"),
    Written("two speeches", "answer", "<s>Well.</s> <s>Yes.</s><ACCEPT>", "DUP"),
    Written("bold", "answer", "**<REJECT>**", "reject"),
    Written("backticks", "answer", "`<ACCEPT>`", "accept"),
    Written(
        "a tag named in private thoughts",
        "answer",
        "<CONSIDER>I will use <ACCEPT> now</CONSIDER><REJECT>",
        "reject",
    ),
    Written(
        "<name>, List<int>, <br> in private", "answer", "<name> List<int> <br>\n<ACCEPT>", "accept"
    ),
    Written(
        "HTML in a speech",
        "answer",
        "<s>A <b>fair</b> deal.</s><ACCEPT>",
        "accept, says A <b>fair</b> deal.",
    ),
    Written(
        "emoji with a joiner", "answer", "<s>Yes 👩\u200d🌾</s><ACCEPT>", "accept, says Yes 👩🌾"
    ),
    Written("a byte order mark", "answer", "\ufeff<ACCEPT>", "accept"),
    Written("something invisible inside a tag", "answer", "<ACC\u00adEPT>", "TEXT"),
    Written("another offer's number", "answer", "<ACCEPT>offer 7</ACCEPT>", "STALE"),
    Written("yes, if …", "answer", "<ACCEPT>if you pay 4</ACCEPT>", "ACK"),
    Written("yes, if … behind the tag", "answer", "<ACCEPT> if you pay 4.", "ACK"),
    Written("yes, if … below the tag", "answer", "<ACCEPT/>\n(only with 4 for me)", "ACK"),
    Written("no before the tag", "answer", "It is low. I would not say <ACCEPT> here.", "ACK"),
    Written("a reason behind the tag", "answer", "Fair, no doubt. <ACCEPT> It pays.", "accept"),
    Written("yes, with another word for if", "answer", "<ACCEPT>pending 4</ACCEPT>", "ACK"),
    Written("yes, with a change", "answer", "<ACCEPT>with one change: 4</ACCEPT>", "ACK"),
    Written("no deal in a tag", "answer", "<ACCEPT>no deal</ACCEPT>", "ACK"),
    Written("no in German in a tag", "answer", "<ACCEPT>nein</ACCEPT>", "ACK"),
    Written("no in Russian in a tag", "answer", "<ACCEPT>нет</ACCEPT>", "ACK"),
    Written("no in Russian behind the tag", "answer", "<ACCEPT> – нет, мало.", "ACK"),
    Written("not applicable in a tag", "answer", "<ACCEPT>N/A</ACCEPT>", "ACK"),
    Written("a field that does not apply", "answer", "ACCEPT: N/A\nREJECT: yes", "ACK"),
    Written("a sentence about the tag", "answer", "To <ACCEPT> would be a mistake.", "ACK"),
    Written("that sentence turned round", "answer", "It is a mistake to <ACCEPT>.", "ACK"),
    Written("a question around the tag", "answer", "Should I <ACCEPT> it?", "ACK"),
    Written("a name behind the tag", "answer", "<ACCEPT> – Bob", "accept"),
    Written("a willing sentence", "answer", "I am happy to <ACCEPT> it.", "accept"),
    Written("a reason in numbers", "answer", "<ACCEPT> This gives me 12, better than 8", "accept"),
    Written("a question in a tag", "answer", "<ACCEPT>?</ACCEPT>", "ACK"),
    Written("yes and no", "answer", "<ACCEPT> or <REJECT>", "ACK"),
    Written("yes in words", "answer", "I agree to this.", "ACK"),
    Written("yes in one word", "answer", "**ACCEPT**", "accept"),
    Written("no in one word beside a speech", "answer", "<s>No.</s>\nReject.", "reject, says No."),
    Written("that word among others", "answer", "I cannot ACCEPT", "ACK"),
    Written("that word as the last line", "answer", "It is fair.\n\nACCEPT", "accept"),
    Written("that line after a condition", "answer", "Only if you pay 4.\n\nACCEPT", "ACK"),
    Written("that word in a fence", "answer", "It is fair.\n```\nACCEPT\n```", "accept"),
    Written("that word with a reason", "answer", "ACCEPT – it is fair", "accept"),
    Written("that word with a condition", "answer", "ACCEPT – if you pay 4", "ACK"),
    Written("that word for another offer", "answer", "ACCEPT – offer 7 is fair", "STALE"),
    Written("a reason after a colon", "answer", "**ACCEPT**: it is fair", "accept"),
    Written("a label and a reason", "answer", "Decision: ACCEPT: it is fair", "accept"),
    Written("a condition after a colon", "answer", "ACCEPT: once you pay 4", "ACK"),
    Written("a field that says no", "answer", "ACCEPT: no", "ACK"),
    Written("that no in a tag", "answer", "<ACCEPT>no</ACCEPT>", "ACK"),
    Written("a rejection that says no", "answer", "REJECT: no", "ACK"),
    Written("two fields", "answer", "REJECT: false\nACCEPT: true", "ACK"),
    Written("yes in a sentence", "answer", "It is fair.\nI accept.", "accept"),
    Written("that sentence with its object", "answer", "I will accept this offer.", "accept"),
    Written("that sentence for another offer", "answer", "I accept offer 7.", "STALE"),
    Written("that sentence asked", "answer", "I accept?", "ACK"),
    Written("that sentence denied", "answer", "I do not accept.", "ACK"),
    Written("that sentence with more", "answer", "I accept, provided you pay 4.", "ACK"),
    Written("that sentence after a condition", "answer", "If you pay 4:\nI accept.", "ACK"),
    Written("two sentences", "answer", "I reject.\nI accept.", "ACK"),
    Written("no in a sentence", "answer", "I reject it: it is not enough.", "reject"),
    Written("a bare name", "act", "cooperate", "cooperate"),
    Written("a bare name last", "act", "To defect pays 5.\n\nCooperate.", "cooperate"),
    Written("a bare name in a fence", "act", "So:\n```\ncooperate\n```", "cooperate"),
    Written("a bare name in its own tag", "act", "So:\n<COOPERATE>", "cooperate"),
    Written("a bare name with a reason", "act", "So:\n**Cooperate** – it lasts", "cooperate"),
    Written("a bare name with a doubt", "act", "cooperate – or defect", "MPT"),
    Written("a list of names", "act", "I can do:\n- cooperate\n- defect", "DUP"),
    Written("a name below a list", "act", "- defect – 5\n- cooperate – 3\n\ndefect", "defect"),
    Written("a name in the plural", "act", "<ACTION>Cooperates!</ACTION>", "cooperate"),
    Written("quotes and a full stop", "act", '<ACTION>"cooperate".</ACTION>', "cooperate"),
    Written("I before the action", "act", "<ACTION>I cooperate</ACTION>", "cooperate"),
    Written("I will not", "act", "<ACTION>I will not cooperate</ACTION>", "ACTION"),
    Written("no such action", "act", "<ACTION>wait</ACTION>", "ACTION"),
    Written("two different last lines", "act", "Action: defect\nAction: cooperate", "DUP"),
    Written("a claim of 1", "claim", "<CLAIM>1</CLAIM>", "CLAIM"),
    Written("a claim in words", "claim", "<CLAIM>a quarter</CLAIM>", "25 %"),
    Written("REJECT below a rejection", "answer", "I reject it.\nREJECT", "reject"),
    Written("REJECT below an acceptance", "answer", "I accept.\nREJECT", "ACK"),
    Written("P = 20%", "claim", "<CLAIM>P = 20%</CLAIM>", "20 %"),
    Written("I claim 10%", "claim", "<CLAIM>I claim 10%</CLAIM>", "10 %"),
    Written("a claim and no tag", "claim", "10%", "10 %"),
    Written("a part as the last line", "claim", "I did 3 of 10.\n\n30%", "30 %"),
    Written("two parts as last lines", "claim", "Alice: mine.\n70%\n30%", "CLAIM"),
    Written("a range as a claim", "claim", "<CLAIM>5-6%</CLAIM>", "CLAIM"),
    Written("a vote that goes to one", "act", "<ACTION>My vote goes to defect.</ACTION>", "defect"),
    Written("for the others", "act", "<ACTION>cooperate for the others</ACTION>", "cooperate"),
    Written("a claim of 0.4", "claim", "<CLAIM>0.4</CLAIM>", "40 %"),
    Written("a claim said twice", "claim", "<CLAIM>half, 50 %</CLAIM>", "50 %"),
    Written("a claim said again in brackets", "claim", "<CLAIM>1/4 (25 percent)</CLAIM>", "25 %"),
    Written("two claims in one", "claim", "<CLAIM>half, 40 %</CLAIM>", "CLAIM"),
    Written("a claim with a comma", "claim", "<CLAIM>50,50 %</CLAIM>", "CLAIM"),
    Written(
        "a third with all its digits", "claim", "<CLAIM>33.333333333333336%</CLAIM>", "33.333333 %"
    ),
    Written("more than everything", "claim", "<CLAIM>120%</CLAIM>", "CLAIM"),
]
"""More ways to write an answer, with what is made of each."""
