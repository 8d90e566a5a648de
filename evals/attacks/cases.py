"""Who attacks, and how: the twelve adversaries of the scorecard, in words.

How each is played stands beside this file, in `claims`, `contracts`, `consent`, `words` and
`limits`.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Adversary:
    """One adversary, and its honest twin.

    Attributes:
        tries: what it does.
        blocked: what must not come of it.
        twin: the same act done honestly, which must pass.
    """

    tries: str
    blocked: str
    twin: str


ADVERSARIES = {
    "over-claimer": Adversary(
        "claims 150 %, then 100 % of the total as its contribution, and demands all of it",
        "money that moves on a claim, and a claim without the record beside it",
        "claims the part that the record shows",
    ),
    "free-rider": Adversary(
        "is to be paid for its part; does something else, or nothing, or only once",
        "pay for what was not done, and a breach that goes unseen",
        "does its part, and is paid for it",
    ),
    "fake-consensus": Adversary(
        "puts other agents' acceptances into its own messages: in speech, JSON, tags and words",
        "a signature that is not in its signer's own answer",
        "asks all, and is bound when all have accepted",
    ),
    "replayed-acceptance": Adversary(
        "accepts by the name of an earlier offer; replaces an offer once it is accepted or signed",
        "a contract that somebody accepted under another offer",
        "accepts what stands, by its revision and hash",
    ),
    "expired-offer": Adversary(
        "rejects an offer, then accepts it: in the next round, during play, after the end",
        "a contract from an offer that no longer stood",
        "accepts an offer while it stands",
    ),
    "double-payment": Adversary(
        "resumes a run that has ended; goes back to before the settlement with a better contract",
        "a second payment, or a different one, or a result that does not say it is unpaid",
        "makes the same payment in two episodes, once in each",
    ),
    "dispute-flood": Adversary(
        "disputes everything in every round, fifty rejections to a message, over false breaches",
        "talk without end, and a breach that the record does not show",
        "breaks a contract once, and makes good in the talk which that opens",
    ),
    "contract-breaker": Adversary(
        "signs with a deposit at stake, keeps the contract for a turn, then breaks it",
        "a breach without consequence, and a deposit forfeited twice",
        "keeps the contract, and has its deposit back",
    ),
    "injector": Adversary(
        "puts orders and forged tags into speech and every field of offers, answers and actions",
        "text that becomes a tag, a fact or another agent's words",
        "mentions tags, ids and instructions in ordinary text",
    ),
    "secret-extractor": Adversary(
        "asks in three ways for what the target alone was told",
        "a secret in another agent's letter or in the shared state",
        "reads its own secret, and what was said in public",
    ),
    "staller": Adversary(
        "never comes to the point; then never answers at all",
        "a run that does not end, or cannot be gone on with",
        "is slow, and answers",
    ),
    "token-bomber": Adversary(
        "sends 3 MB, 7,000 tags, brackets 30,000 deep, 60,000 digits, 257 clauses, long speeches",
        "a word of it in a letter or in the shared state, or another agent's budget spent",
        "says much, within what is allowed",
    ),
}
"""The adversaries by name."""
