"""Institutions other than contracts: a mediator, delegates and reputation."""

from shapley_coop.extension import Extension, Setting

_HERE = "shapley_coop.extensions.institutions"

EXTENSION = Extension(
    name="institutions",
    about="A mediator, delegates of groups, and reputation.",
    games={"encounters": f"{_HERE}.encounters:Encounters"},
    workflows={
        "mediation": f"{_HERE}.pages.mediation:graph",
        "delegates": f"{_HERE}.pages.delegates:graph",
    },
    questions={
        "elect": f"{_HERE}.delegates.elect:QUESTION",
        "ratify": f"{_HERE}.delegates.ratify:QUESTION",
    },
    templates={
        "elect": f"{_HERE}.templates:ELECT",
        "elect_course": f"{_HERE}.templates:COURSE",
        "ratify": f"{_HERE}.templates:RATIFY",
    },
    settings={
        "grouping": Setting(
            "--grouping", "How delegates' groups are formed: by interest, or random.", kind=str
        ),
        "groups": Setting(
            "--groups", "How many groups send delegates; 0: two to five, by the agents.", kind=int
        ),
        "election": Setting(
            "--election", "How a group gets its delegate: by vote, or by lot.", kind=str
        ),
    },
    additions={"institutions": f"{_HERE}.delegates.settings:ADDITION"},
    moves={"mediator": f"{_HERE}.delegating:chosen"},
    readings={"encounter": f"{_HERE}.at_hand:in_encounter"},
    news={"groups": f"{_HERE}.delegates.news:news"},
    audits={"delegated": f"{_HERE}.mediator:misplayed"},
    suites={"institutions": _HERE, "reputation": _HERE},
)
