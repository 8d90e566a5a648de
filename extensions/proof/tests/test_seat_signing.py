"""A person signs in the browser: the key stays there, and the record holds the signatures."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from extensions.people.tests import test_seat
from extensions.people.tests.test_seat import Play
from shapley_coop.extensions.proof.acceptance import binding, is_signed
from shapley_coop.extensions.proof.keys import PrivateKey
from shapley_coop.extensions.proof.signed_settings import signed_run
from tests.browser import DESK, tab
from tests.server_process import Server

pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("seat_signing")]


def test_a_proposal_and_an_acceptance_are_signed_by_keys_that_stay_in_their_browsers(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = {"Alice": PrivateKey.new("ES256"), "Bob": PrivateKey.new()}
    room: dict[str, Any] = {
        **test_seat.PEOPLE["room"],
        "keys": {agent: key.public.pem for agent, key in keys.items()},
        "require_signed": True,
    }
    monkeypatch.setattr(test_seat, "PEOPLE", {"room": room})
    play = Play(server, "negotiation")
    for agent, key in keys.items():
        file = tmp_path / f"{agent}.pem"
        file.write_text(key.pem())
        with tab(DESK) as opened:
            page = opened.page
            play.party(agent).letter()
            page.goto(play.party(agent).seat)
            page.get_by_text("More", exact=True).click()
            page.locator("#key-file").set_input_files(str(file))
            page.get_by_text(f"signed by key {key.public.keyid}").wait_for()
            if agent == "Alice":
                page.get_by_role("button", name="Somebody does").click()
                page.get_by_label("Who", exact=True).select_option("Bob")
                page.get_by_label("Does what").select_option("lever")
            else:
                page.get_by_text("Accept it").click()
            page.get_by_role("button", name="Send", exact=True).click()
            sent = re.compile("Nothing to answer now|choose your action")
            page.get_by_role("heading", name=sent).wait_for()
    for agent, action in {"Bob": "lever", "Alice": "door"}.items():
        party = play.party(agent)
        party.letter()
        assert party.answer(type="response", args=f"<ACTION>{action}</ACTION>").is_success
    table = play.ended()
    signed = {said["by"]: said["more"]["proof"] for said in table["talk"] if "more" in said}
    accepted = table["contract"]["signatures"]
    for agent, key in keys.items():
        shown = binding(
            agent=agent,
            **signed_run(table)._asdict(),
            topic="plan",
            turn=1,
            revision=accepted[agent]["revision"],
            accepts=accepted[agent]["hash"],
        )
        assert is_signed(key.public, shown, signed[agent])
    assert "PRIVATE KEY" not in json.dumps(table)
