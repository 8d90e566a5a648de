"""What the page of delegates has beside that of `shapley_coop`."""

from shapley_coop.graphs.catalogue import admits_payments
from tests.graphs.test_pages import wiring


def test_its_deals_have_payments() -> None:
    assert admits_payments("delegates")


def test_delegates_is_shapley_coop_with_members_signatures_in_the_place_of_claims_and_split() -> (
    None
):
    (nodes, edges), (whole, its_edges) = wiring("delegates"), wiring("shapley_coop")
    split = {node for node in whole if node.endswith("_split")}
    assert nodes - whole == {"group", "elect", "delegate", "ratify", "count"}
    assert whole - nodes == {"write", "claim", "collect_claims"} | split
    assert edges - its_edges == {
        ("open", "group", ""),
        ("convene", "group", ""),
        ("group", "elect", "elect"),
        ("group", "delegate", "seated"),
        ("elect", "delegate", ""),
        ("delegate", "elect", "refused"),
        ("delegate", "reason", "seated"),
        ("tally", "ratify", "agreed"),
        ("ratify", "count", ""),
        ("count", "ratify", "refused"),
        ("count", "ratify", "reduced"),
        ("count", "group", "vetoed"),
        ("count", "summarize", "signed"),
        ("count", "act", "no_deal"),
        ("account", "attribute", ""),
        ("attribute", "settle", "bargain"),
    }
