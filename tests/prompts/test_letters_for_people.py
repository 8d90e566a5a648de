"""What a letter says to a person: each clause once, and no word that only programmers know."""

import pytest

from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.replies import OpenMail
from shapley_coop.graphs.running import follow
from shapley_coop.state.run_config import RunConfig

SAYS = {
    "reason": "Collective payoff: 9\nExternality: +\nPrice: 4",
    "answer": "<s>I like the norm shapley.</s><ACCEPT>",
    "contract_answer": "<s>Fine.</s><ACCEPT>",
    "act": "<ACTION>lever</ACTION>",
    "claim": "<CLAIM>40%</CLAIM>",
    "answer_split": "<REJECT>",
}


async def letters(graph: str) -> dict[str, str]:
    """Bob's letters in an escape room: act → the letter's sections, as he reads them."""
    told: dict[str, str] = {}

    def bob(mail: OpenMail) -> str:
        told[mail.act] = "\n\n".join(one.text for one in mail.question.for_person())
        return SAYS[mail.act]

    seats = {"*": "embedded:rational", "Bob": "human"}
    await follow(prepare(graph, RunConfig(game="escape_room", seats=seats)), person=bob)
    return told


@pytest.mark.parametrize(
    ("graph", "answer"), [("shapley_coop", "answer"), ("contracts", "contract_answer")]
)
async def test_a_person_reads_the_clauses_of_an_offer_and_of_the_deal_once(
    graph: str, answer: str
) -> None:
    told = await letters(graph)
    for act in (answer, "act"):
        assert told[act].count("Alice does door.") == 1, act
        assert "**Alice's offer (number 1)** – it stands below." in told[act]


async def test_words_that_a_person_may_not_know_are_explained_at_their_first_use() -> None:
    told = await letters("shapley_coop")
    assert "**Externality**, the effect on the others." in told["reason"]
    for act in ("answer", "act", "claim"):
        assert told[act].count("the norm shapley, a rule for fair shares,") == 1, act
    assert '"I like the norm shapley."' in told["act"], "what agents say stays as they said it"
