"""The generator of utilities from preferences in words, and of preferences that overlap.

Every number follows from the words and a seed. Words grade tasks ("very good at …", "good at …",
"not good at …"); a task gets the grade of the passage with which it shares words. A composite's
score mixes the mean and the best grade of its atoms. One fitting atom raises a composite's score,
and unfit atoms lower the score, so tables are neither monotone nor additive.
"""

import re
from collections.abc import Sequence

import numpy as np

from shapley_coop.extensions.exchange.domain.scenario import Atom
from shapley_coop.games.dice import dice

UNGRADED = 0.15
BEST, MEAN, JITTER = 0.4, 0.6, 4.0
ENOUGH = 2

_GRADES = (
    (r"not (?:very |so )?good|poor|bad|weak|dislike|avoid|hate|cannot|never", 0.05),
    (r"very good|excellent|expert|outstanding|love|best", 1.0),
    (r"fair|average|acceptable", 0.4),
    (r"good|like|enjoy|able", 0.75),
)
_MARKER = re.compile("|".join(rf"(?P<g{i}>\b(?:{p})\b)" for i, (p, _) in enumerate(_GRADES)))
_WORD = re.compile(r"[^\W_]+")
_STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and are at for from in is it making of on or so the these those to very with you "
        "your also be do i my me we our this that",
    )
)


def scores(preference: str, atoms: Sequence[Atom], seed: int, whose: str) -> list[float]:
    """Return raw scores, whole numbers in 0..100, for all 2ⁿ composites; the empty set scores 0.

    r(c) = 100·(0.4·max g + 0.6·mean g) over the grades g of c's atoms, plus a jitter of up to ±4.
    """
    n = len(atoms)
    grades = [grade(preference, atom) for atom in atoms]
    masks = np.arange(1 << n)
    held = np.stack([masks >> (n - 1 - i) & 1 for i in range(n)], axis=1)
    weighed = held * np.array(grades)
    count = np.maximum(held.sum(axis=1), 1)
    raw = 100 * (BEST * weighed.max(axis=1) + MEAN * weighed.sum(axis=1) / count)
    raw += dice(seed, 0, f"utilities/{whose}").uniform(-JITTER, JITTER, len(raw))
    raw = np.clip(np.rint(raw), 0, 100)
    raw[0] = 0
    return [float(score) for score in raw]


def grade(preference: str, atom: Atom) -> float:
    """Return the grade in [0, 1] of a task under this preference; UNGRADED if no word is shared.

    A passage that quotes the task's words gives its grade. If no passage does, the passage with the
    most shared words gives its grade, or, with one shared word, the mean of its grade and UNGRADED.
    """
    known = _stems(" ".join([atom.tool.replace("_", " "), atom.says, *atom.arguments]))
    best, found = 0.0, UNGRADED
    for level, part in _parts(preference):
        if atom.says and atom.says.lower() in part.lower():
            return level
        match = min(1.0, len(known & _stems(part)) / ENOUGH)
        if match > best:
            best, found = match, UNGRADED + (level - UNGRADED) * match
    return found


def draw_preferences(
    atoms: Sequence[Atom], agents: Sequence[str], competition: float, seed: int
) -> dict[str, str]:
    """Return preferences in words that overlap as much as `competition` says, from 0 to 1.

    Each of N agents is very good at ⌊n/N⌋ of n tasks, its favourites, and not good at the others.
    At 0 no two agents are good at the same task; at 1 all are good at the same tasks. In between,
    each favourite is replaced with probability `competition` by the first agent's corresponding
    favourite. For a fixed seed the overlap never falls as `competition` rises.
    """
    each = max(1, len(atoms) // len(agents))
    order = [int(i) for i in dice(seed, 0, "favourites").permutation(len(atoms))]
    own = [order[k * each : (k + 1) * each] for k in range(len(agents))]
    shared, told = own[0], {}
    for agent, mine in zip(agents, own, strict=True):
        draws = dice(seed, 0, f"favourites/{agent}").random(each)
        taste = [s if u < competition else m for s, m, u in zip(shared, mine, draws, strict=True)]
        told[agent] = _in_words(atoms, set(taste))
    return told


def _in_words(atoms: Sequence[Atom], favoured: set[int]) -> str:
    good = "; ".join(atom.says for i, atom in enumerate(atoms) if i in favoured)
    rest = "; ".join(atom.says for i, atom in enumerate(atoms) if i not in favoured)
    text = f"You are very good at these: {good}."
    return f"{text} You are not good at these: {rest}." if rest else text


def _parts(preference: str) -> list[tuple[float, str]]:
    """Cut a text at words that grade tasks, such as "very good"; return (grade, text after it)."""
    marks = list(_MARKER.finditer(preference.lower()))
    ends = [mark.start() for mark in marks[1:]] + [len(preference)]
    return [
        (_level(mark), preference[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)
    ]


def _level(mark: re.Match[str]) -> float:
    return next(level for i, (_, level) in enumerate(_GRADES) if mark.group(f"g{i}"))


def _stems(text: str) -> set[str]:
    words = {word for word in _WORD.findall(text.lower()) if word not in _STOP}
    return {re.sub(r"(ing|ies|es|s|e|y)$", "", word) or word for word in words}
