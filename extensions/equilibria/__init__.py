"""Nash equilibria of strategic games, from Gambit's `.nfg` files or payoff files.

$ coop equilibria dilemma.nfg                      # all pure ones; of two players also mixed ones
$ coop equilibria dilemma.nfg --out dilemma.yaml   # the same game as a payoff file,
$ coop run dilemma.yaml                            # which agents can play

>>> from shapley_coop.extensions.equilibria.listing import equilibria
>>> from shapley_coop.extensions.equilibria.nfg import parse_nfg
>>> dilemma = parse_nfg('NFG 1 R "dilemma" { "Ann" "Ben" } { 2 2 } 1 1 3 0 0 3 2 2')
>>> [(one.play, one.pays) for one in equilibria(dilemma)]
[({'Ann': {'2': Fraction(1, 1)}, 'Ben': {'2': Fraction(1, 1)}}, [Fraction(2, 1), Fraction(2, 1)])]
"""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.equilibria"

EXTENSION = Extension(
    name="equilibria",
    about="Nash equilibria of strategic games, and Gambit's .nfg files.",
    commands={"Credit and settle": {"equilibria": f"{_HERE}.command:list_equilibria"}},
)
