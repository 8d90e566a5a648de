"""The written contract: five sections of prose, checked against the typed clauses.

Contracts between language models need these five sections (Schiavone, 2025, section 4.2). The prose
cites every clause once, as `[c1]`, on a separate line. A clause's line has the names, actions,
numbers and negations of the clause in the same order, so that nothing is added, dropped or changed.
If the prose is still ambiguous, the clauses decide.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from shapley_coop.amounts import parse_exact, plain
from shapley_coop.deals.language.clauses import Clause
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.effects import OTHERS
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import EVERYONE
from shapley_coop.games.actions import actions_of_all

SECTIONS = (
    "Synchronization",
    "Contracted Actions",
    "Conditional Sharing",
    "Disallowed Actions",
    "Commitment",
)
INTENT = "Intent (unenforceable):"
NONE = "None."

_HEADING = re.compile(r"^#{1,6}\s*(\d)\.\s*(.+?)\s*$", re.MULTILINE)
_CITATION = re.compile(r"\[(c\d{1,4})\]")
_NUMBER = re.compile(r"(?<!\w)-?\d+(?:[./]\d+)?(?:\s?%)?")
_WORD = re.compile(r"[^\W\d_]+(?:n't)?")
_AND = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")
_IN_FRONT = re.compile(
    r"^\W*(?P<when>(?:if|when|while)\b[^,]*),\s*(?P<what>.*?)\W*$", re.IGNORECASE | re.DOTALL
)
"""A line that begins with its condition, as in "If Ann does work, Ben pays Ann 3"."""

_EVERY = re.compile(
    r"(?i)\b(?:at )?every (\d+)(?:st|nd|rd|th)? turns?,? (?:starting )?(?:from|at) turn (\d+)"
)
"""A condition such as "at every 3rd turn from turn 1"."""

_OWES = {"pay", "pays", "transfers", "owes", "gives", "must", "shall", "will", "promises"}
_KEEPS = re.compile(
    r"\b(?:will|shall|promise to)(?: each| all| both)? (?:keep|honou?r|adhere to|abide by|fulfil) "
    r"(?:it|(?:the|this|these)(?: \w+)? (?:contract|agreement|terms|clauses))\b",
    re.IGNORECASE,
)
"""Words that commit a party to the contract itself, and so add no obligation."""

_ALL_OTHERS = re.compile(
    r"\b(?:(?:all|each) of the others|all (?:the )?others|the others|every(?:body|one) else)\b",
    re.IGNORECASE,
)
_MARKS = {
    **dict.fromkeys(
        ("not", "never", "no", "cannot", "refrain", "refrains", "unless", "except", "without"),
        "not",
    ),
    **dict.fromkeys(("each", "every", "all", "always", "any", "per"), "each"),
    **dict.fromkeys(("less", "fewer", "most", "below", "under"), "less"),
}


def compose(deal: Deal, terms: Terms, game: str = "", intents: Sequence[str] = ()) -> str:
    """Return the written contract of a deal, made of the clauses' texts in the five sections."""
    by_section: dict[int, list[str]] = {2: [], 3: [], 4: []}
    for cid, clause in deal.ids().items():
        by_section[_section(clause)].append(f"- [{cid}] {clause.words()}")
    by_section[2] += [f"- {INTENT} {intent}" for intent in intents]
    parties = ", ".join(terms.agents)
    bodies = {
        1: [
            f"This is an agreement on {game or 'the game'} between {parties}, for {terms.turns} "
            f"turn{'s' if terms.turns > 1 else ''}.",
            "An action is one of those that the game's rules name; a turn is one round of actions "
            "taken at the same time; a payment is made of rewards earned in the game.",
        ],
        **{n: lines or [NONE] for n, lines in by_section.items()},
        5: [
            "We agree to adhere to these terms to the best of our abilities for the duration of "
            "the game.",
            f"Signed: {parties}.",
        ],
    }
    return "\n\n".join(
        f"## {n}. {title}\n\n" + "\n".join(bodies[n]) for n, title in enumerate(SECTIONS, start=1)
    )


def differences(prose: str, deal: Deal, terms: Terms) -> list[str]:
    """Say how a written contract differs from its clauses, one sentence for each difference.

    Args:
        prose: Markdown with the five sections as numbered headings.
        deal: the clauses.
        terms: the parties, their actions and the number of turns.
    """
    found = [(int(n), title.strip("* ")) for n, title in _HEADING.findall(prose)]
    if found != list(enumerate(SECTIONS, start=1)):
        wanted = ", ".join(f"## {n}. {title}" for n, title in enumerate(SECTIONS, start=1))
        return [f"Give the five sections, each once and in this order: {wanted}."]
    _, *bodies = _HEADING.sub("\0", prose).split("\0")
    sections = dict(enumerate(bodies, start=1))
    return [
        *_citations(prose, deal),
        *(fault for n in (2, 3, 4) for fault in _clauses(n, sections[n], deal, terms)),
        *(fault for n in (1, 5) for fault in _frame(n, sections[n], terms)),
    ]


def changed_clauses(agreed: Deal, written: Deal) -> list[str]:
    """Say how a summary's clauses differ from the agreed ones, one sentence for each difference."""
    faults = []
    for n, (old, new) in enumerate(zip_longest(agreed.clauses, written.clauses), start=1):
        if old is None and new is not None:
            faults.append(f"c{n} was not agreed: {new.words()}")
        elif new is None and old is not None:
            faults.append(f"c{n} is missing: {old.words()}")
        elif old is not None and new is not None and old != new:
            faults.append(f"c{n} was agreed as: {old.words()} You write: {new.words()}")
    return faults


def find_mentions(text: str, terms: Terms) -> list[str]:
    """Return the parties, actions and numbers that a text names."""
    return [token for token, kind in _tokens(text, terms) if kind != "word"]


def _citations(prose: str, deal: Deal) -> Iterator[str]:
    cited = _CITATION.findall(prose)
    for cid, clause in deal.ids().items():
        if (times := cited.count(cid)) != 1:
            how = "is not cited" if not times else f"is cited {times} times"
            yield f"{cid} {how}: cite it once, as [{cid}]. It says: {clause.words()}"
    for cid in dict.fromkeys(cited):
        if cid not in deal.ids():
            yield f"{cid} is no clause of the contract: leave it out."


def _clauses(section: int, body: str, deal: Deal, terms: Terms) -> Iterator[str]:
    """Yield the faults in the lines of a section that lists clauses."""
    known = deal.ids()
    for line in _lines(body):
        cited = [cid for cid in _CITATION.findall(line) if cid in known]
        if line == NONE or (line.startswith(INTENT) and not cited):
            continue
        if len(cited) != 1:
            yield (
                f"Section {section} says “{line[:120]}”: give each clause a line of its own, and "
                f"begin a line that is not binding with “{INTENT}”."
            )
            continue
        clause = known[cited[0]]
        if _section(clause) != section:
            yield f"{cited[0]} belongs in section {_section(clause)}."
        wanted = _skeleton(clause.words(), terms)
        said = _in_full(_CITATION.sub(" ", line), clause.words(), terms)
        if (given := _skeleton(said, terms)) != wanted:
            yield (
                f"{cited[0]} says “{clause.words()}”, in the order {_token_words(wanted)}; "
                f"you write {_token_words(given)}: keep names, actions, numbers and their order."
            )


def _in_full(line: str, clause: str, terms: Terms) -> str:
    """Return a line with the wording of clauses: "everyone" and "Ann does work".

    "Ann and Ben each", or "everyone (Ann and Ben)", becomes "everyone" if these are all parties,
    each once. "Ann works" becomes "Ann does work", unless the clause itself has "works". A
    condition in front is put last, and "every 2nd turn from turn 1" names the first turn first.
    """
    line = _IN_FRONT.sub(r"\g<what> \g<when>", line)
    line = _EVERY.sub(r"at turn \2 and every \1 turns after it", line)
    one = rf"(?<!\w)(?:{'|'.join(map(re.escape, terms.agents))})(?!\w)"
    several = (
        rf"(?:\beveryone\s*\()?({one}(?:(?:{_AND.pattern}){one})+)\)?(?: (?:each|both|all)\b)?"
    )
    for found in re.finditer(several, line, re.IGNORECASE):
        if sorted(_AND.split(found[1])) == sorted(terms.agents):
            line = line.replace(found[0], EVERYONE)
    acts = [x for x in actions_of_all(terms.actions) if x.isalpha() and f"{x}s" not in clause]
    does = rf"({one}|\b(?i:{EVERYONE})\b) ({'|'.join(acts)})e?s(?!\w)"
    return re.sub(does, r"\1 does \2", line) if acts else line


def _frame(section: int, body: str, terms: Terms) -> Iterator[str]:
    """Yield the faults of the first or last section, which names all parties and has no duties."""
    tokens = _skeleton(body, terms)
    if missing := [agent for agent in terms.agents if agent not in tokens]:
        yield f"Section {section} does not name {', '.join(missing)}: name every party."
    allowed = {str(n) for n in (terms.turns, len(terms.agents), 1)}
    for line in _lines(body):
        named = [agent for agent in terms.agents if agent in _skeleton(line, terms)]
        numbers = {n for n, kind in _tokens(line, terms) if kind == "number"} - allowed
        owes = _OWES.intersection(_WORD.findall(_KEEPS.sub("", line).lower()))
        if numbers or (named and owes):
            yield (
                f"Section {section} says “{line[:120]}”: obligations and numbers belong in clauses."
            )


def _section(clause: Clause) -> int:
    return 3 if clause.duty is None else 4 if clause.duty.forbidden else 2


def _lines(body: str) -> list[str]:
    stripped = (line.strip().lstrip("-* ") for line in body.splitlines())
    return [line for line in stripped if line]


def _skeleton(text: str, terms: Terms) -> tuple[str, ...]:
    """Return a line's tokens that carry meaning: names, actions, numbers and words like "not".

    In a game of one turn the words "at every turn" are ignored. All others who are paid come last,
    as "pays the others 15" means "pays 15, split evenly among all others".
    """
    once = {("each", "word")} if terms.turns == 1 else set()
    said = [token for token, kind in _tokens(text, terms) if (token, kind) not in once]
    paid = OTHERS in said[1:]
    return (*said[:1], *(t for t in said[1:] if t != OTHERS), *([OTHERS] if paid else []))


def _tokens(text: str, terms: Terms) -> list[tuple[str, str]]:
    actions = actions_of_all(terms.actions)
    names = sorted({*terms.agents, *actions, *terms.goods}, key=len, reverse=True)
    literal = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names)
    pattern = re.compile(f"(?P<name>{literal})|(?P<number>{_NUMBER.pattern})|(?P<word>[^\\W\\d_]+)")
    found = []
    text = _ALL_OTHERS.sub(OTHERS, text.replace("n't", " not").replace("n’t", " not"))
    for match in pattern.finditer(text):
        value, kind = match.group(), str(match.lastgroup)
        if kind == "number":
            found.append((_number(value.replace(" ", "")), kind))
        elif kind == "name" or value == OTHERS:
            found.append((value, kind))
        elif mark := _MARKS.get(value.lower()):
            found.append((mark, kind))
    return found


def _number(text: str) -> str:
    """Return a number in its standard form, so that 50 % equals 1/2; other text unchanged."""
    try:
        return plain(parse_exact(text))
    except ValueError:
        return text


def _token_words(tokens: Sequence[str]) -> str:
    return " · ".join(tokens) or "nothing"
