"""Validating messages: every label, in its order, with feedback that names the mend."""

import json
from functools import reduce
from operator import or_
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.deals.language.clauses import Do, Give
from shapley_coop.extensions.exchange.domain import scenario
from shapley_coop.extensions.exchange.domain.masks import full, mask_of, members
from shapley_coop.extensions.exchange.domain.source import generate_scenario
from shapley_coop.extensions.exchange.messages.checking import LABELS, check_message
from shapley_coop.extensions.exchange.messages.written import as_deal, as_written, estimates

TASKS = scenario("paper_cooperative").tasks
THREE = generate_scenario(["Ann", "Ben", "Cat"], 6, 0.5, seed=1).tasks
SAYS = TASKS.registry.describe
PENDING = {"Alice": "111000", "Bob": "000111"}
REJECT = "<REJECT>This doesn't work for me. Let's try another allocation.</REJECT>"

OVERLAP = """<REJECT>This doesn't work for me. Let's try another allocation.</REJECT>
<PROPOSAL>{
  "Alice": ["Prepare for your upcoming Software Engineer opportunity by applying for the job, \
booking a flight from San Francisco to New York on July 30, 2023, and adding a note to research \
resources and prepare for the interview."],
  "Bob": ["Apply for the Software Developer job, set an alarm for 10:00 AM to start preparing for \
the interview, and make a note to remember to research resources and get ready."]
}
</PROPOSAL>"""


def proposal(**listed: Any) -> str:
    return f"<PROPOSAL>{json.dumps(listed)}</PROPOSAL>"


def split(mask: int) -> dict[str, list[str]]:
    return {"Alice": [SAYS(mask)], "Bob": [SAYS(63 ^ mask)]}


def test_the_papers_overlap_gets_the_papers_feedback() -> None:
    verdict = check_message(OVERLAP, TASKS, "Bob", PENDING)
    assert verdict.label == "OVL"
    for part in (
        SAYS(0b100011),
        "mask=100011",
        SAYS(0b111000),
        "mask=111000",
        "share atomic task(s)",
        'Create a note saying: "Remember to prepare for the interview and research resources."',
    ):
        assert part in verdict.feedback
    assert "flight from San Francisco to New York on July 30, 2023.'" not in verdict.feedback
    assert verdict.masks == {"Alice": "111000", "Bob": "100011"}
    assert verdict.record() == {
        "label": "OVL",
        "feedback": verdict.feedback,
        "masks": verdict.masks,
    }


FLIGHT, INSTALL = SAYS(0b001000), SAYS(0b000100)

LABELLED = [
    ("MPT", None, "I would like Alice to take everything."),
    ("MPT", None, json.dumps(split(0b111000)) + "</PROPOSAL>"),
    ("MPT", PENDING, REJECT),
    ("MPT", None, "<ACCEPT>I agree with this allocation.</ACCEPT>"),
    ("MET", None, "<PROPOSAL>" + json.dumps(split(0b111000))[:-1]),
    ("MET", PENDING, REJECT + '<PROPOSAL>{"Alice": ["'),
    ("JSON", None, "<PROPOSAL>Alice takes all</PROPOSAL>"),
    ("JSON", None, "<PROPOSAL>null</PROPOSAL>"),
    ("JSON", None, '<PROPOSAL>["Alice"]</PROPOSAL>'),
    ("JSON", None, proposal(Alice=8, Bob=[INSTALL])),
    ("JSON", None, '<PROPOSAL>{"Alice": [], "Alice": [], "Bob": []}</PROPOSAL>'),
    ("NAME", None, proposal(Alice=[FLIGHT])),
    ("NAME", None, proposal(**split(0b111000), Eve=[FLIGHT])),
    ("ACK", PENDING, proposal(**split(0b111000))),
    ("ACK", PENDING, "<ACCEPT></ACCEPT>" + proposal(**split(0b111000))),
    ("ACK", PENDING, "<ACCEPT></ACCEPT>" + REJECT + proposal(**split(0b111000))),
    ("UNK", None, proposal(Alice=[FLIGHT.replace("flight", "Flight")], Bob=[INSTALL])),
    ("UNK", None, proposal(Alice=[FLIGHT[:-2]], Bob=[INSTALL])),
    ("UNK", None, proposal(Alice=[7], Bob=[INSTALL])),
    ("EMP", None, proposal(Alice=[SAYS(63)], Bob=[])),
    ("EMP", None, proposal(Alice=[SAYS(63)], Bob=[SAYS(0)])),
    ("OVL", None, proposal(Alice=[SAYS(0b111000)], Bob=[SAYS(0b001111)])),
    ("MAT", None, proposal(Alice=[SAYS(0b110000)], Bob=[SAYS(0b000111)])),
]


@pytest.mark.parametrize(("label", "pending", "text"), LABELLED)
def test_each_fault_has_its_label(label: str, pending: dict[str, str] | None, text: str) -> None:
    verdict = check_message(text, TASKS, "Bob", pending)
    assert (verdict.label, verdict.act) == (label, None)
    assert verdict.feedback


def test_every_label_is_produced_by_some_message() -> None:
    assert {label for label, *_ in LABELLED} == set(LABELS) - {"MDA"}, "merged since"


def test_the_first_fault_in_order_wins() -> None:
    everything = proposal(Alice=["nonsense", "more"], Bob=[])
    assert check_message(everything, TASKS, "Bob", PENDING).label == "ACK"
    assert check_message(everything, TASKS, "Bob").label == "UNK"
    overlapping = proposal(Alice=[SAYS(0b111000)], Bob=[SAYS(0b011000)])
    assert check_message(overlapping, TASKS, "Bob").label == "OVL", "before the missing atoms"


def test_feedback_names_what_would_be_right() -> None:
    def feedback(text: str) -> str:
        return check_message(text, TASKS, "Bob").feedback

    missing = feedback(proposal(Alice=[SAYS(0b110000)], Bob=[SAYS(0b000111)]))
    assert FLIGHT in missing
    assert INSTALL not in missing
    assert "mask=001000" in missing
    near = feedback(proposal(Alice=[FLIGHT.lower()], Bob=[INSTALL]))
    assert f"Did you mean {FLIGHT!r}?" in near


def test_several_descriptions_are_read_as_the_one_that_merges_them() -> None:
    verdict = check_message(proposal(Alice=[FLIGHT, INSTALL], Bob=["110011"]), TASKS, "Bob")
    assert (verdict.label, verdict.masks) == (None, {"Alice": "001100", "Bob": "110011"})
    (repair,) = verdict.repairs
    assert SAYS(0b001100) in repair
    assert "mask=001100" in repair


@pytest.mark.parametrize("end", ["", ".."])
def test_a_missing_or_extra_full_stop_is_repaired_and_told(end: str) -> None:
    said = SAYS(0b001100).removesuffix(".") + end
    verdict = check_message(proposal(Alice=[said], Bob=["110011"]), TASKS, "Bob")
    assert (verdict.label, verdict.masks) == (None, {"Alice": "001100", "Bob": "110011"})
    (repair,) = verdict.repairs
    assert repair == f"read {said!r} as {SAYS(0b001100)!r} (mask=001100)"


def test_an_acceptance_alone_is_valid_and_carries_what_it_accepts() -> None:
    verdict = check_message("<ACCEPT>I agree with this allocation.</ACCEPT>", TASKS, "Bob", PENDING)
    assert (verdict.label, verdict.act, verdict.masks) == (None, "accept", PENDING)


def test_a_stranger_cannot_be_the_sender() -> None:
    with pytest.raises(ValueError, match="'Eve' does not take part"):
        check_message("hi", TASKS, "Eve")


# Properties


@given(st.data())
def test_a_proposal_passes_if_and_only_if_it_is_a_partition(data: st.DataObject) -> None:
    tasks = data.draw(st.sampled_from([TASKS, THREE]))
    pieces = st.one_of(st.integers(0, 63).map(tasks.registry.describe), st.text(max_size=5))
    listed = data.draw(
        st.fixed_dictionaries({a: st.lists(pieces, max_size=2) for a in tasks.agents})
    )
    masks = [[tasks.registry.mask_of(text) for text in texts] for texts in listed.values()]
    known = all(mask is not None for own in masks for mask in own)
    merged = [reduce(or_, [mask or 0 for mask in own], 0) for own in masks]
    partition = (
        known
        and all(merged)
        and sum(merged) == full(6)
        and all(a & b == 0 for i, a in enumerate(merged) for b in merged[:i])
    )
    verdict = check_message(proposal(**listed), tasks, tasks.agents[0])
    assert (verdict.label is None) == partition


@given(st.permutations(range(6)), st.lists(st.integers(1, 5), min_size=2, max_size=2, unique=True))
def test_every_partition_among_three_passes(order: list[int], cuts: list[int]) -> None:
    low, high = sorted(cuts)
    parts = [order[:low], order[low:high], order[high:]]
    masks = {a: mask_of(part, 6) for a, part in zip(THREE.agents, parts, strict=True)}
    text = proposal(**{a: [THREE.registry.describe(mask)] for a, mask in masks.items()})
    verdict = check_message(text, THREE, "Ben")
    assert verdict.label is None
    assert verdict.masks == {a: THREE.bits(mask) for a, mask in masks.items()}


TAGS = [
    "<PROPOSAL>",
    "</PROPOSAL>",
    "<ACCEPT>",
    "</ACCEPT>",
    "<REJECT>",
    "<CONSIDER>",
    "<s>",
    "<b>",
]
NOISE = st.lists(
    st.one_of(
        st.sampled_from(
            [*TAGS, *PENDING, '{"Alice": ["', '"]', "}", FLIGHT, "null", "\\", "[" * 99]
        ),
        st.text(max_size=8),
    ),
    max_size=14,
).map("".join)


@given(NOISE, st.sampled_from([None, PENDING]))
def test_validation_never_raises_whatever_arrives(
    text: str, pending: dict[str, str] | None
) -> None:
    verdict = check_message(text, TASKS, "Alice", pending)
    assert (verdict.label is None) == (verdict.act is not None)
    assert bool(verdict.feedback) == (verdict.label is not None)


@given(NOISE)
def test_what_is_delivered_holds_nothing_that_was_considered(text: str) -> None:
    secret = f"<CONSIDER>canary {text}</CONSIDER>"
    assert "canary" not in as_written(secret.replace("</CONSIDER>", "", 1))
    assert "canary" not in as_written(f"canary {REJECT} canary")


def test_a_message_is_delivered_byte_for_byte() -> None:
    odd = '<PROPOSAL>{"Alice":  ["no such task"]]}</PROPOSAL>'
    text = f"I think <CONSIDER>mine is worth 0.9</CONSIDER> so {REJECT} then {odd} and so on"
    assert as_written(text) == f"{REJECT}\n{odd}"
    assert as_written('<PROPOSAL>{"Alice": [') == '<PROPOSAL>{"Alice": ['


@given(NOISE)
def test_a_valid_message_means_the_same_after_delivery(text: str) -> None:
    whole = f"{text}{proposal(**split(0b101010))}<s>Please.</s>"
    before, after = (check_message(t, TASKS, "Alice") for t in (whole, as_written(whole)))
    if before.label is None:
        assert (after.act, after.masks) == (before.act, before.masks)
    assert check_message(as_written(whole[len(text) :]), TASKS, "Alice").label is None


def test_an_allocation_is_handed_over_at_once_and_then_a_duty_for_each_task_held() -> None:
    deal = as_deal(TASKS, {"Alice": "010001", "Bob": "101110"})
    gifts = [c for c in deal.clauses if isinstance(c, Give)]
    held = {
        agent: {TASKS.names[i] for i in members(TASKS.initial[agent], TASKS.n)}
        for agent in TASKS.agents
    }
    for gift in gifts:
        assert gift.good in held[gift.giver]
        assert gift.when.turns == (1, 1)
        held[gift.giver].remove(gift.good)
        held[gift.receiver].add(gift.good)
    duties = [c for c in deal.clauses if isinstance(c, Do)]
    assert [(d.agent, d.action) for d in duties] == [
        *(("Alice", TASKS.names[i]) for i in (1, 5)),
        *(("Bob", TASKS.names[i]) for i in (0, 2, 3, 4)),
    ]
    assert {agent: {d.action for d in duties if d.agent == agent} for agent in held} == held
    assert [d.when.turns for d in duties] == [(2, 2), (3, 3), (2, 2), (3, 3), (4, 4), (5, 5)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('I guess {"estimates": {"Bob": 0.6}}, roughly', {"Bob": 0.6}),
        (
            '{"a": 1} then {"estimates": {"Bob": 1, "Eve": 2, "Ann": "x", "Ben": true}}',
            {"Bob": 1.0},
        ),
        ("{" * 1000, {}),
        ('{"estimates": [0.5]}', {}),
        (None, {}),
    ],
)
def test_estimates_are_read_where_they_can_be(text: str | None, told: dict[str, float]) -> None:
    assert estimates(text) == told
