"""Votes and signatures, as models write them.

They are of the kinds that a model wrote which was given the letters alone;
`delegate_answers.md` shows them with their verdicts.
"""

from tests.deals.language.sloppy_answers import Written, sent

VOTES = [
    Written("a name in another case", "elect", "She is fair.\n\n<ACTION>alice</ACTION>", "Alice"),
    Written("Vote: a name", "elect", "I trust myself.\n\n**Vote: Bob**", "Bob"),
    Written("I vote for", "elect", "Alice is fair.\nI vote for Alice.", "Alice"),
    Written("oneself", "elect", "<ACTION>myself</ACTION>", "Bob"),
    Written("oneself, by name too", "elect", "<ACTION>myself (Bob)</ACTION>", "Bob"),
    Written("oneself and another", "elect", "<ACTION>myself (Alice)</ACTION>", "ACTION"),
    Written("JSON in a fence", "elect", '```json\n{"vote": "Alice"}\n```', "Alice"),
    Written("oneself, labelled", "elect", "<ACTION>Vote: me</ACTION>", "Bob"),
    Written("two names", "elect", "<ACTION>Alice or Bob</ACTION>", "ACTION"),
    Written("somebody of another group", "elect", "<ACTION>Cem</ACTION>", "ACTION"),
    Written("an answer to another question", "elect", "<ACCEPT>", "MPT"),
]

SIGNATURES = [
    Written("sign as an action", "ratify", "<ACTION>sign</ACTION>", "accept"),
    Written("sign as a word", "ratify", "4 is more than 3.\n\nSIGN", "accept"),
    Written("a labelled decision", "ratify", "4 instead of 3.\n**Decision: ACCEPT**", "accept"),
    Written("veto as an action", "ratify", "<s>No.</s><ACTION>veto</ACTION>", "reject, says No."),
    Written("a tag of its own: <VETO>", "ratify", "It is too little.\n<VETO>", "reject"),
    Written("a tag of its own: <LEAVE/>", "ratify", "<LEAVE/>", "leave"),
    Written("leave the deal", "ratify", "<ACTION>leave the deal</ACTION>", "leave"),
    Written("opt out", "ratify", "<ACTION>opt out</ACTION>", "leave"),
    Written("stay out", "ratify", "<ACTION>stay out</ACTION>", "leave"),
    Written("the offer by its mark", "ratify", "<ACCEPT>#2</ACCEPT>", "accept"),
    Written("a yes in words", "ratify", "4 is more than 3. I sign it.", "ACK"),
    Written("a yes with an if", "ratify", "<ACCEPT>if Bob pays 2</ACCEPT>", "ACK"),
    Written("a yes in doubt", "ratify", "I would reject less.\nDecision: accept", "ACK"),
    Written("sign and act", "ratify", "<ACCEPT><ACTION>cooperate</ACTION>", "ACTION"),
    Written("an offer of its own", "ratify", f"<REJECT>{sent({'clauses': []})}", "VOID"),
]
