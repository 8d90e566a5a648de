"""A person at the seat's page in a call market: orders by choosing, and signed in the browser."""

from pathlib import Path

import pytest

from extensions.people.tests.test_seat_page import Table, send
from shapley_coop.extensions.proof.keys import PrivateKey
from tests.browser import DESK, PHONE, picture, tab
from tests.server_process import Server

pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("seat_of_a_market")]


def test_orders_are_sent_by_choosing_and_bind_as_the_preview_said(
    server: Server, tmp_path: Path
) -> None:
    params = {"agents": ["Ann", "Ben", "Cem"]}
    table = Table(server, "call_market", "Ann", game="trade", params=params, seed=1)
    with tab(PHONE) as opened:
        page = opened.page
        page.goto(table.seat)
        page.get_by_role("button", name="+ order").click()
        page.get_by_label("Buy or sell").select_option("sell")
        page.get_by_label("How many").fill("9")
        page.get_by_label("Price of one").fill("0.5")
        page.get_by_text("You offer 9 wood and hold 4: offer fewer.").wait_for()
        page.get_by_label("How many").fill("2")
        page.get_by_text("You sell up to 2 wood, for 0.5 or more each.").wait_for()
        picture(opened, tmp_path, "seat-orders")
        assert not opened.overflows()
        send(opened)
        page.get_by_role("heading", name="Ann, choose your action").wait_for()
        assert [one for one in opened.complaints if "404" not in one] == []
    values = table.values()
    assert "Ann" in values["contract"]["signatures"]
    gives = [c for c in values["contract"]["terms"] if c["clause"]["kind"] == "give"]
    assert sum(c["clause"]["quantity"] for c in gives if c["clause"]["giver"] == "Ann") == 2


def test_orders_are_signed_by_a_key_that_stays_in_the_browser(
    server: Server, tmp_path: Path
) -> None:
    key, file = PrivateKey.new("ES256"), tmp_path / "ann.pem"
    file.write_text(key.pem())
    room = {"params": {"agents": ["Ann", "Ben", "Cem"]}, "seed": 1, "require_signed": True}
    signed = {"Ann": key.public.pem}
    table = Table(server, "call_market", "Ann", game="trade", keys=signed, **room)
    with tab(DESK) as opened:
        page = opened.page
        page.goto(table.seat)
        page.get_by_text("More", exact=True).click()
        page.locator("#key-file").set_input_files(str(file))
        page.get_by_text(f"signed by key {key.public.keyid}").wait_for()
        page.get_by_role("button", name="+ order").click()
        page.get_by_label("Buy or sell").select_option("sell")
        page.get_by_label("Price of one").fill("0.5")
        page.get_by_text("You sell up to 1 wood").wait_for()
        send(opened)
        page.get_by_role("heading", name="Ann, choose your action").wait_for()
    values = table.values()
    assert "Ann" in values["contract"]["signatures"], "unsigned orders would have been sent back"
    assert not any("more" in said for said in values["talk"])
