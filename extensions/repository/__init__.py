"""The extension that counts each contributor's artefacts in a git repository, with evidence.

>>> from shapley_coop.extensions.repository.history import read_history
>>> read_history(".").artefacts()["Ada"]                                # doctest: +SKIP
{'code': Fraction(412, 1), 'decisions': Fraction(1, 1), 'documents': Fraction(5, 2), 'fixes': ...}

The extension reads with git itself and changes nothing. The repository may be hostile: none of its
configuration can run a program, reach the network or change the authors of lines.
"""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="repository",
    about="Counts who made what in a git repository; the extensions bounty and company use it.",
)
