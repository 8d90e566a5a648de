"""The search for the one known name that an agent means."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from shapley_coop.deals.language.hedges import agreeing, split_reason

Also = Callable[[str], Sequence[str]]
"""An action → other words for it."""

_AROUND = " \t\r\n*`\"'“”‘’_"


def unwrap(text: str) -> str:
    """Return a text without the quotation marks, backticks, bold marks and full stop around it."""
    return text.strip(_AROUND).rstrip(".!").strip(_AROUND)


def find_meant(said: str, known: Collection[str]) -> str | None:
    """Return the one known name that a text means, ignoring case, plurals and marks around it.

    >>> find_meant("Write code.", ["write_code"]), find_meant("day off", ["days off", "start"])
    ('write_code', 'days off')
    """
    return said if said in known else _find_spelt(unwrap(said), _by_spelling(known))


def _by_spelling(known: Iterable[str], also: Also | None = None) -> dict[str, list[str]]:
    """Return spelling → the names that have it, or that other words of this spelling mean."""
    names: dict[str, list[str]] = {}
    for name in known:
        for spelling in {_spelling(word) for word in (name, *(also(name) if also else ()))}:
            names.setdefault(spelling, []).append(name)
    return names


def _spelling(name: str) -> str:
    return _ARTICLE.sub("", name.casefold().replace("_", " "))


def _find_spelt(words: str, names: Mapping[str, Sequence[str]]) -> str | None:
    """Return the one name with this spelling, or else the one that differs in a plural."""
    bare = _spelling(words)
    alike = names.get(bare) or [name for form in _forms(bare) for name in names.get(form, ())]
    return alike[0] if len({*alike}) == 1 else None


def _forms(spelling: str) -> set[str]:
    """Return a spelling, its singulars and plurals, and the verb of "taking" or "taking notes"."""
    words, forms = spelling.split(), {spelling}
    for at, word in enumerate(words):
        ends = (f"{word}s", f"{word}es", word.removesuffix("s"), word.removesuffix("es"))
        forms |= {" ".join([*words[:at], end, *words[at + 1 :]]) for end in ends if end}
    if words and words[0].endswith("ing") and len(stem := words[0][:-3]) > 1:
        verbs = {stem, f"{stem}e"} | ({stem[:-1]} if stem[-1] == stem[-2] else set())
        forms |= {" ".join([verb, *words[1:]]) for verb in verbs}
    return forms


def find_action(
    said: str, known: Collection[str], now: bool = False, also: Also | None = None
) -> str | None:
    """Return the one known action that a text names, as its name or as a deed, else None.

    Around the name stand only words that change nothing: any other word could deny or restrict it.

    Args:
        said: the text.
        known: the known actions.
        now: whether the action is done at once, so that "again" or "this turn" means what it
            says, and a reason may follow behind a dash.
        also: gives the other words by which letters call an action.

    >>> find_action("I will pull the lever", ["door", "lever"]), find_action("cast Heal", ["Heal"])
    ('lever', 'Heal')
    >>> find_action("take the cash", ["wait", "take"]), find_action("leave the door", ["door"])
    ('take', None)
    >>> find_action("pull the lever", ["pull lever", "lever"]), find_action("play safe", ["safe"])
    ('pull lever', 'safe')
    >>> find_action("I keep my 20 (as agreed)", ["give", "keep"]), find_action("keep it", ["keep"])
    ('keep', None)
    """
    if found := find_meant(said, known):
        return found
    words, reason = _without_aside(unwrap(said).replace("’", "'"))
    if not now and _NOW.search(words):
        return None
    names = _by_spelling(known, also)
    named = [(core, name) for core in _cores(words) if (name := _find_spelt(core, names))]
    if not named:
        return None
    core, name = max(named, key=lambda one: len(one[0]))
    around = f"{words.replace(core, ' ', 1)} {reason}"
    if _names_another(around, name, known) or not _leaves(reason, name, now):
        return None
    return name


def _without_aside(words: str) -> tuple[str, str]:
    """Return the words before a dash or a last pair of brackets, and the words after; or ""."""
    choice, reason = split_reason(words)
    if reason or not (found := _BRACKETS.fullmatch(choice)):
        return unwrap(choice), reason.strip()
    return unwrap(found[1]), found[2]


def _cores(words: str) -> Iterator[str]:
    """Yield all texts that remain if words around an action, or a verb's object, are left out."""
    for front in _shortened(words, _BEFORE):
        for core in _shortened(front, _BEHIND):
            yield core
            if (deed := _OBJECT.sub("", core)) != core:
                yield deed


def _shortened(words: str, part: re.Pattern[str]) -> Iterator[str]:
    """Yield the words, and again after each removal of a part."""
    yield words
    while (shorter := part.sub("", words, count=1).strip()) != words:
        yield shorter
        words = shorter


def _names_another(around: str, name: str, known: Collection[str]) -> bool:
    """Return whether the words around an action name another one, or a form of another one."""
    text = _words(around)
    others = (_words(one) for one in known if one != name)
    return any((one[:_STEM] if len(one) > 4 else one) in text for one in others)


def _words(text: str) -> str:
    """Return the words of a text, with a blank before and behind each."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _leaves(reason: str, name: str, now: bool) -> bool:
    """Return whether the words beside an action leave it as it is.

    They do if they are its initial, or say that it was agreed, or give a reason for doing it now.
    """
    bare = reason.strip("()[] ")
    if len(bare) <= 2:
        return name.casefold().startswith(bare.casefold())
    if not _BEHIND.sub("", f" {bare}", count=1):
        return now or not _NOW.search(bare)
    in_brackets = bare != reason  # where no sentence shows what the words mean
    free = now and not in_brackets and " " in reason
    return free and agreeing(reason) and not _UNDONE.search(reason)


_STEM = len(" refus")
"""The letters by which "refusal" is a form of the action "refuse"."""

_WORD = re.compile(r"[^\W_]+")
_ARTICLE = re.compile(r"\b(?:the|an?) ", re.IGNORECASE)
_BRACKETS = re.compile(r"([^()\[\]]+?)\s*([(\[][^()\[\]]*[)\]])")
_BEFORE = re.compile(
    r"^(?:(?:(?:i|we)(?: am| are)|i'm|we're)(?= going to |(?: \w+ly)? \w+ing\b)|"
    r"(?:i|we)(?:'ll| will| shall)?|going to|will|to|(?:choose|decide)(?: to| for)?|"
    r"my (?:action|move|choice|vote) (?:is(?: to| for)?|goes to)|opt for|vote for|"
    r"go with|stick (?:to|with)|stay with|continue(?: to| with)|(?:keep|continue)(?= \w+ing\b)|"
    r"(?:go|walk|run|move|head|step) (?:back )?(?:to|for|through|towards?)|"
    r"(?:go|walk|run|step) out(?: of| through| by)?(?= (?:the )?(?:door|exit|gate)\b)|"
    r"play|do|pick|pull|take|use|cast|throw|hunt|perform|select|simply|again|now|still|once more) ",
    re.IGNORECASE,
)
"""What may stand before an action's name: "I will", "go to" the door, "cast" Heal."""

_BEHIND = re.compile(
    r",? (?:too|as well|as (?:(?:i|we|it|is|was|were|have|had|all) ){0,3}"
    r"(?:agreed|promised|planned|signed|before|usual)|"
    r"as (?:the |our )?(?:deal|contract|c\d+) (?:asks|says|demands|requires)|"
    r"according to (?:the|our) (?:deal|contract)|again|now|at once|right now|for now|"
    r"once (?:more|again)|(?:in |for )?this (?:turn|round|time)|(?:my|the|this) (?:move|turn)|"
    r"for (?:everyone|everybody|(?:all )?the others|all of us)|(?-i:with [A-Z]\w{0,40}))$",
    re.IGNORECASE,
)
"""What may stand behind an action's name: "again", "as agreed", "with Bob"."""

_NOW = re.compile(
    r"\b(?:again|now|at once|still|once (?:more|again)|this (?:turn|round|time)|"
    r"for (?:everyone|everybody|(?:all )?the others)|(?-i:with [A-Z]\w{0,40}))\b",
    re.IGNORECASE,
)
"""Words that say when or for whom an action is done; in a clause, they could be a condition."""

_OWNED = r"(?:cash|money|coins?|points?|units?|tokens?|credits?|endowment)"
_OBJECT = re.compile(
    r"(?<=\w)(?:(?<!\bkeep)(?<!\bhold)(?<!\bbreak) it| (?:everything|(?:all )?(?:of )?(?:my|the) "
    rf"(?:\d{{1,9}}(?: {_OWNED})?|{_OWNED}))|(?:(?<=accept)|(?<=reject)|(?<=sign)|(?<=veto)|"
    r"(?<=leave)|(?<=ratify)) (?:the|this|my) (?:deal|contract|offer|agreement)|"
    r"(?<!\bkeep)(?<!\bgive)(?<!\btake)(?<!\bhold)(?<!\bbreak)(?<!\bleave) the (?!deal|contract|"
    r"offer|agreement|pact|promise|half|rest|minimum|maximum|other)\w{1,40})$",
    re.IGNORECASE,
)
"""The object of a verb that is itself an action's name: "take the cash", "keep my 20"."""

_UNDONE = re.compile(
    r"(?i:\b(?:later|next turn|tomorrow|first|jok\w*|kidding|lol|sarcas\w*|opposite|reverse|"
    r"wish\w*|pretend\w*|bluff\w*|lie|lying|as if|wrong|mistake|undecided|unsure|example|"
    r"placeholder)\b)|"
    r"\b(?:when|once|after|only if|for|says) [A-Z]"
)
"""Words by which a reason takes an action back, puts it off, or gives it to somebody else."""
