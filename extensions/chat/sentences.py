"""The pattern reader, which reads plain sentences about a household task without a model.

It understands who bargains over who does the task; who hates, dislikes, minds or likes the task, or
the task's cost to an agent; and the task's worth to an agent. It skips unknown sentences. It
assumes values for missing numbers, and lists these assumptions.

>>> found = read_sentences("Let Ann and Ben bargain over who does the dishes; Ann hates it.")
>>> found.agents, found.task, found.costs
(['Ann', 'Ben'], 'do the dishes', {'Ann': 8.0, 'Ben': 4.0})
>>> found.assumed
['it is worth 10 to each once it is done', 'doing it costs Ann 8', 'doing it costs Ben 4']
"""

import re
from dataclasses import dataclass, field

_NAME = r"[A-Z][\w'’-]*"
_NAMES = rf"{_NAME}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+){_NAME})*"
_NUMBER = r"(\d{1,6}(?:\.\d{1,2})?)"
_TALK = r"(?:bargain|negotiate|haggle|argue|talk|decide|agree|settle|discuss|fight)s?"
_PARTIES = re.compile(
    rf"\b(?:(?:[Ll]et|[Hh]ave|[Mm]ake)\s+)?({_NAMES})\s+(?:should\s+|must\s+|can\s+)?{_TALK}\b"
)
_MATTER = re.compile(
    r"\bwho\s+(?:(?:will|should|must|has\s+to|gets\s+to|is\s+to)\s+(?P<base>\w+)|(?P<third>\w+))"
    r"(?P<rest>[^;.!?\n,]*?)(?=[;.!?\n,]|\s+but\s|$)"
)
_ALL = {"both", "each", "all", "everyone", "everybody", "they", "them"}

HATES, DISLIKES, PLAIN, LIGHT, NOTHING = 8.0, 6.0, 4.0, 2.0, 0.0
WORTH = 10.0
_FEELINGS = [
    (r"(?:does\s*n['’]t|do\s*n['’]t|does\s+not|do\s+not|never)\s+minds?", LIGHT),
    (r"(?:is|are)\s+fine\s+with", LIGHT),
    (r"(?:does\s*n['’]t|do\s*n['’]t|does\s+not|do\s+not)\s+(?:really\s+)?like", DISLIKES),
    (r"(?:really\s+)?(?:hates?|loathes?|detests?|can['’]?t\s+stand|cannot\s+stand)", HATES),
    (r"(?:really\s+)?(?:dislikes?|minds?)", DISLIKES),
    (r"(?:really\s+)?(?:likes?|loves?|enjoys?)", NOTHING),
]
_WHO = rf"(?P<who>{_NAMES}|[Tt]hey|[Bb]oth|[Ee]veryone|[Ee]verybody)(?:\s+(?:both|all))?"
_FELT = [(re.compile(rf"\b{_WHO}\s+{words}\b"), cost) for words, cost in _FEELINGS]
_TO_WHOM = rf"(?P<who>{_NAMES}|both|each|all|everyone|everybody|them)"
_COSTS = re.compile(rf"\bcosts?\s+{_TO_WHOM}(?:\s+of\s+them)?\s+{_NUMBER}")
_WORTH = re.compile(rf"\bworth\s+{_NUMBER}\s+(?:to|for)\s+{_TO_WHOM}")


@dataclass(frozen=True)
class Household:
    """The statements about a household task.

    Attributes:
        agents: the agents that bargain.
        task: the task in the imperative.
        costs: agent → its cost of doing the task.
        worth: agent → its gain once any agent has done the task.
        assumed: the assumptions in words.
        strangers: people who are named but do not bargain.
    """

    agents: list[str] = field(default_factory=list)
    task: str = ""
    costs: dict[str, float] = field(default_factory=dict)
    worth: dict[str, float] = field(default_factory=dict)
    assumed: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)


def read_sentences(text: str) -> Household:
    """Return the statements in a text; a later statement replaces an earlier one."""
    agents = _agents(text)
    task = _task(text)
    felt: dict[str, float] = {}
    named: list[str] = []
    for who, cost in _said_costs(text):
        names = _names(who, agents)
        named += names
        felt |= dict.fromkeys(names, cost)
    stated = {name for found in _COSTS.finditer(text) for name in _names(found["who"], agents)}
    worth: dict[str, float] = {}
    for found in _WORTH.finditer(text):
        names = _names(found["who"], agents)
        named += names
        worth |= dict.fromkeys(names, float(found[1]))
    assumed = [] if worth else [f"it is worth {WORTH:g} to each once it is done"]
    assumed += [
        f"it is worth {WORTH:g} to {agent} once it is done"
        for agent in agents
        if worth and agent not in worth
    ]
    costs = {agent: felt.get(agent, PLAIN) for agent in agents}
    assumed += [f"doing it costs {a} {costs[a]:g}" for a in agents if a not in stated]
    strangers = [name for name in dict.fromkeys(named) if name not in agents]
    gains = {agent: worth.get(agent, WORTH) for agent in agents}
    return Household(agents, task, costs, gains, assumed, strangers)


def _agents(text: str) -> list[str]:
    found = [*_PARTIES.finditer(text)]
    return list(dict.fromkeys(_split(found[-1][1]))) if found else []


def _task(text: str) -> str:
    found = [*_MATTER.finditer(text)]
    if not found:
        return ""
    verb = found[-1]["base"] or _base(found[-1]["third"])
    return f"{verb}{found[-1]['rest']}".strip()[:64].strip()


def _base(verb: str) -> str:
    """Return the base form of a verb in the third person.

    >>> [_base(verb) for verb in ("does", "washes", "carries", "takes")]
    ['do', 'wash', 'carry', 'take']
    """
    known = {"does": "do", "goes": "go", "has": "have", "is": "be"}
    if verb in known:
        return known[verb]
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    if verb.endswith(("shes", "ches", "sses", "xes", "zes")):
        return verb[:-2]
    return verb.removesuffix("s")


def _said_costs(text: str) -> list[tuple[str, float]]:
    """Return pairs of names and cost: from feelings first, then numbers, each in text order."""
    felt = [(m.start(), m["who"], cost) for words, cost in _FELT for m in words.finditer(text)]
    costs = [(m["who"], float(m[2])) for m in _COSTS.finditer(text)]
    return [(who, cost) for _, who, cost in sorted(felt)] + costs


def _names(who: str, agents: list[str]) -> list[str]:
    return agents if who.lower() in _ALL else _split(who)


def _split(names: str) -> list[str]:
    return [one for one in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", names) if one]
