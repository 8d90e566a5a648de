"""The labels of refusals: letters explain each label, and runs count refusals by label."""

LABELS = {
    "What cannot be read": {
        "SIZE": "the answer is too long to be read",
        "TEXT": "it holds an invisible or an invalid character",
        "TAG": "a tag is empty, is inside another, or has more in it than its name",
        "MPT": "the element that is asked for is missing",
        "MET": "an element is never closed",
        "DUP": "one element is there twice",
        "JSON": "what should be JSON is not JSON",
        "CLAUSE": "the JSON is no clause, or a key, number or name in it needs a guess",
        "WORDS": "a contract's words say what no clause says, or hold no clause",
        "LONG": "what would be delivered to all is too long",
        "CUT": "the answer was cut off by its length limit",
        "FIL": "a provider's content filter kept it back",
        "REF": "the model declined to answer",
    },
    "What does not fit the talk": {
        "ACK": "an offer is not clearly accepted or rejected",
        "VOID": "it does what cannot be done now: there is no such offer, or it is no time to act",
        "STALE": "it accepts another offer than the one that stands",
        "ACTION": "the action is not one that can be taken",
        "CLAIM": "a claim is not a fraction of the whole",
        "REASON": "the answers of the private reasoning are not clear",
        "JUDGE": "a judgement does not say of each clause whether it was kept",
        "UNWRITTEN": "the talk could not be put into the words of a contract",
        "DIFF": "the contract that was written differs from what was agreed",
        "SIGN": "the signature that the run asks for is missing, or is not of this text and key",
    },
    "What cannot be agreed": {
        "EMPTY": "the deal has no clause",
        "NAME": "it names somebody who is not a party",
        "TURN": "no turn can meet a condition, or an action is owed at a turn at which its "
        "agent cannot take it",
        "PAY": "an amount is not positive, a share is over 100 %, or somebody pays itself",
        "GIVE": "a good is unknown, its quantity is under 1, or its gift depends on rewards",
        "SHARE": "a split is not one whole over all parties, or there is more than one",
        "NORM": "the norm is not on offer",
        "CLASH": "one agent would have two duties at a turn that it cannot both keep",
        "DROP": "it ends a clause that is not in force",
        "KIND": "this bargaining does not admit clauses of that kind",
        "ABLE": "somebody could not pay, or give, what it would owe",
    },
    "What the agent may not sign": {
        "RESERVE": "the deal leaves the agent less than it, or its mandate, requires",
        "MANDATE": "the deal or the action is otherwise against the agent's mandate",
    },
    "Call market": {
        "ORDER": "an agent would buy a good at a price at which it would also sell",
    },
    "Task exchange": {
        "UNK": "a description matches no task",
        "EMP": "an agent would have no task",
        "OVL": "two agents would have the same task",
        "MAT": "a task would go to nobody",
        "MDA": "several descriptions for one agent, with exact proposals; else they are merged",
        "SHEET": "a scenario that a model wrote cannot be played",
    },
    "Passes without a refused answer": {
        "PASS": "the agent chose to pass",
        "BUDGET": "the run's budget, or the agent's part of it, was used up",
    },
}
"""Subject → label → the reason for the refusal."""


def meaning_of(label: str) -> str:
    """Return a label's meaning, or the label itself if it is an extension's."""
    return next((of[label] for of in LABELS.values() if label in of), label)


def explain_label(label: str) -> str:
    """Return a label with its meaning: "DUP, one element is there twice"."""
    meaning = meaning_of(label)
    return f"{label}, {meaning}" if meaning != label else label
