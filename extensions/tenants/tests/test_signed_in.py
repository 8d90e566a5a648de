"""People sign in with their browser, whose password is the token."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from extensions.tenants.tests.tenants import ANN, EPISODE, PARTY, Person, tenants_server
from tests.browser import tab
from tests.server_process import Server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
    with tenants_server(tmp_path_factory.mktemp("paged")) as running:
        yield running


def test_an_operator_signs_in_with_its_browser(server: Server, tmp_path: Path) -> None:
    ann = Person(server, ANN)
    thread = ann("POST /threads", {}).json()["thread_id"]
    ann(f"POST /threads/{thread}/runs/wait", {"assistant_id": "shapley_coop", "input": {}})
    signed_in = {"http_credentials": {"username": "ann", "password": ANN}}
    with tab(**signed_in) as opened:
        opened.page.goto(f"{server.url}/view/?run={thread}")
        opened.page.get_by_role("heading", name="Ledger").wait_for()
        opened.page.get_by_role("link", name="Show private reasoning, as the operator").click()
        opened.page.get_by_text("The operator's view").wait_for()
        assert opened.complaints == []


def test_a_party_signs_in_at_its_own_seat_alone(server: Server) -> None:
    party = {"http_credentials": {"username": "alice", "password": PARTY}}
    with tab(**party) as opened:
        answered = opened.page.goto(f"{server.url}/seat/{EPISODE}/Alice")
        assert answered is not None
        assert answered.ok
        refused = opened.page.goto(f"{server.url}/seat/{EPISODE}/Bob")
        assert refused is not None
        assert refused.status == 403
