"""Bundles as server-sent events: whole once, then only what has changed."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.extensions.page import local
from shapley_coop.extensions.page.feed import STILL, Feed, changes
from shapley_coop.extensions.page.local import viewer
from tests.background import in_background

TEXT = st.text(max_size=6)
TEXTS = st.lists(TEXT, max_size=5)
SECTION = st.one_of(st.integers(), TEXT, TEXTS, st.dictionaries(TEXT, TEXTS, max_size=3))
BUNDLE = st.dictionaries(st.sampled_from("abcde"), SECTION)


def read(events: str) -> Iterator[tuple[str, str, Any]]:
    """Kind, id and content of each event, by the rules of the HTML standard."""
    for block in events.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
        if fields:
            yield fields["event"], fields.get("id", ""), json.loads(fields["data"])


def changed(bundle: dict[str, Any], sections: dict[str, Any]) -> dict[str, Any]:
    """A bundle after a change, as the page makes it."""
    after = dict(bundle)
    for name, change in sections.items():
        kept = bundle.get(name, [])[: change["keep"]] if "then" in change else None
        after[name] = change["is"] if kept is None else [*kept, *change["then"]]
    return after


@given(BUNDLE, BUNDLE)
def test_a_change_leads_from_one_bundle_to_the_next(
    one: dict[str, Any], more: dict[str, Any]
) -> None:
    other = {**one, **more}
    sections = changes(one, other)
    assert changed(one, sections) == other
    assert all(name not in one or one[name] != other[name] for name in sections)


def test_a_timeline_that_grows_is_sent_by_its_new_events_alone() -> None:
    feed, bundle = Feed(), {"run": "r", "timeline": ["x" * 1000] * 50, "rules": "y" * 5000}
    ((kind, _, whole),) = read(feed.update(bundle))
    assert (kind, whole) == ("bundle", bundle)
    assert feed.update(dict(bundle)) == STILL
    told = feed.update({**bundle, "timeline": [*bundle["timeline"], "news"]})
    ((kind, _, change),) = read(told)
    assert (kind, change) == ("change", {"timeline": {"keep": 50, "then": ["news"]}})
    assert len(told) < 200


def test_who_comes_back_is_told_what_is_new_if_it_still_has_what_stands() -> None:
    before, after = {"run": "r", "timeline": [1]}, {"run": "r", "timeline": [1, 2]}
    ((_, known, _),) = read(Feed().update(before))
    back = Feed(known)
    assert back.update(before) == STILL
    ((kind, _, _),) = read(back.update(after))
    assert kind == "change"
    ((kind, _, whole),) = read(Feed(known).update(after))
    assert (kind, whole) == ("bundle", after)
    ((kind, _, _),) = read(Feed("nonsense").update(after))
    assert kind == "bundle"


class Growing:
    """A run that gets on each time somebody looks, for three looks."""

    def __init__(self) -> None:
        self.looks = 0

    def runs(self) -> list[dict[str, Any]]:
        return []

    def get(self, run: str, private: bool) -> dict[str, Any]:
        self.looks += 1
        state = "ended" if self.looks >= 3 else "started"
        return {"run": run, "state": state, "timeline": list(range(min(self.looks, 3)))}


@contextmanager
def serving(source: Growing) -> Iterator[str]:
    with in_background(viewer(source, 0, private=False)) as url:
        yield f"{url}/view/runs/r/events"


def test_the_viewer_follows_a_run_and_takes_up_a_broken_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local, "EVERY", 0)
    with serving(Growing()) as url:
        first = list(read(httpx.get(url).text))
        again = list(read(httpx.get(url, headers={"Last-Event-ID": first[2][1]}).text))
        stale = list(read(httpx.get(url, headers={"Last-Event-ID": first[0][1]}).text))
    assert [kind for kind, _, _ in first] == ["bundle", "change", "change", "end"]
    bundle = first[0][2]
    for _, _, sections in first[1:3]:
        bundle = changed(bundle, sections)
    assert bundle == {"run": "r", "state": "ended", "timeline": [0, 1, 2]}
    assert [kind for kind, _, _ in again] == ["end"]
    assert [kind for kind, _, _ in stale] == ["bundle", "end"]
