"""Power indices that others have published, of the EU's council, the electoral college and the IMF.

What stands here as *looked up* was read where it is said to be printed. The digits that are quoted
from memory are marked so.

The IMF's weights and the programs of Dennis Leech, who computed the IMF's tables (*Voting power in
the governance of the International Monetary Fund*, Annals of Operations Research 109, 2002), carry
no licence. To compare with them, fetch github.com/DennisLeech/VotingPower and name its folder by
COOP_LEECH; the programs need pandas.
"""

import importlib.util
import json
import os
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from extensions.values.tests.voting_bodies import (
    COLLEGE_OF_1970,
    COLLEGE_OF_1996,
    COLLEGE_OF_2000,
    EU15,
    NICE,
    PEOPLE_OF_2019,
    PER_MILLE,
    of,
)
from shapley_coop.extensions.values.files import credit_report

LEECH = os.environ.get("COOP_LEECH", "")


def values(content: dict[str, Any], value: str) -> list[float]:
    return list(credit_report(content, value)["values"].values())


def indices(content: dict[str, Any], value: str, decimals: int) -> list[str]:
    """Each voter's index as a table prints it; equal neighbours once."""
    return list(dict.fromkeys(f"{x:.{decimals}f}" for x in values(content, value)))


def test_the_council_of_15_has_its_printed_numbers_of_swings() -> None:
    """Looked up: EU2000, d4maths.lowtech.org/eu2000.htm, for a majority of 44 of 87 votes: 2,558
    swings for 5 votes, 2,134 for 4, 1,514 for 3, 1,002 for 2. The rows above were out of reach."""
    swings = [x * 2**14 for x in values(of(EU15, 44), "banzhaf")]
    assert list(dict.fromkeys(swings[5:])) == [2558, 2134, 1514, 1002]


def test_the_council_of_27_has_its_printed_percents() -> None:
    """Looked up: the test *blocks EU post-Nice* of an exercise of Stanford's course CS106B, which
    cuts off each percent, for a majority of 173 votes."""
    percents = [int(100 * x) for x in values(of(NICE, 173), "banzhaf_normalised")]
    assert percents == [8] * 4 + [7] * 2 + [3] * 7 + [2] * 3 + [1] * 10 + [0]


def test_the_council_of_27_has_its_printed_banzhaf_indices() -> None:
    """From memory: Felsenthal & Machover, The Treaty of Nice and qualified majority voting (2001),
    in percent: 7.78, 7.42, 4.26, 3.97, 3.68, 3.09, 2.18, 1.25, 0.94."""
    printed = ["0.0778", "0.0742", "0.0426", "0.0397", "0.0368", "0.0309", "0.0218", "0.0125"]
    assert indices(of(NICE, 255), "banzhaf_normalised", 4) == [*printed, "0.0094"]


def test_the_council_of_27_has_its_printed_shapley_indices() -> None:
    """From memory: Bilbao, Fernández, Jiménez & López, Voting power in the European Union
    enlargement (2002): by votes alone, and by votes, states and population, where Germany alone
    has 0.0871."""
    printed = ["0.0867", "0.0800", "0.0399", "0.0368", "0.0341", "0.0282", "0.0196", "0.0110"]
    assert indices(of(NICE, 255), "shapley", 4) == [*printed, "0.0082"]
    triple = [{"votes": v, "states": 1, "people": p} for v, p in zip(NICE, PER_MILLE, strict=True)]
    needed = {"votes": 255, "states": 14, "people": 620}
    assert indices(of(triple, needed), "shapley", 4)[:4] == ["0.0871", "0.0870", "0.0799", "0.0399"]


LISBON = {
    "banzhaf": """
        0.02993607521057 0.03013791143894 0.03057354688644 0.03132106363773 0.03231021761894
        0.03257630765438 0.03375901281834 0.03587421774864 0.03724370896816 0.03814743459225
        0.03825753927231 0.03873381018639 0.04070255160332 0.04375638067722 0.04526035487652
        0.04601353406906 0.04608961939812 0.04670339822769 0.04682156443596 0.04804880917072
        0.05764551460743 0.06120628118515 0.08346369862556 0.10274338722229 0.12771199643612
        0.13851484656334 0.13922742009163 0.17020191252232""",
    "shapley": """
        0.00883986193483 0.00900223413684 0.00935757297448 0.00997507974793 0.01078847600553
        0.01101647765196 0.01200736090560 0.01378537784885 0.01494028891794 0.01571316564014
        0.01580829196827 0.01622535462723 0.01790451237988 0.02059388478489 0.02187855321319
        0.02253918355715 0.02261653846221 0.02314990810280 0.02326656843752 0.02433583418272
        0.03300655313039 0.03638113536653 0.06241470459266 0.07504707990742 0.09954163583185
        0.11131426309142 0.11209421991189 0.14645588268788""",
}


@pytest.mark.parametrize("value", LISBON)
def test_the_council_of_28_has_its_published_indices(value: str) -> None:
    """Looked up: I. Wilms, power_bdd 1.0.0 (2022), test_council_of_european_union_2019."""
    states = [{"state": 1, "people": people} for people in PEOPLE_OF_2019]
    content = of(states, [{"state": 16, "people": 333_763_100}, {"state": 25}])
    assert [f"{x:.14f}" for x in values(content, value)] == LISBON[value].split()


def test_the_electoral_college_of_1970_has_its_printed_shapley_indices() -> None:
    """Looked up: Castro, Gómez & Tejada, Polynomial calculation of the Shapley value based on
    sampling (2009), section 4.2, as quoted by pyDVL's AsymmetricVotingGame. For three electors
    they print 0.005412, which is cut off."""
    printed = (
        "0.08831 0.07973 0.05096 0.04898 0.04700 0.03917 0.03147 0.02577 0.02388 0.02200 0.02013 "
        "0.01827 0.01641 0.01456 0.01272 0.01088"
    )
    content = of(COLLEGE_OF_1970, 270)
    assert indices(content, "shapley", 5)[:16] == printed.split()
    assert indices(content, "shapley", 6)[16:] == ["0.009053", "0.007230", "0.005413"]


COLLEGE = {
    "banzhaf": """
        0.46645413468296 0.25958612004997 0.25121432672700 0.19386430412490 0.17784420367910
        0.16988528488752 0.16195807015005 0.13834904167562 0.11496390309982 0.10721120484409
        0.09947716139126 0.09176031063909 0.08405922092785 0.07637248687520 0.06869872744928
        0.06103658469435 0.05338471895304 0.04574180864067 0.03810654673018 0.03047763957013
        0.02285380345639""",
    "shapley": """
        0.10812540951780 0.06296832700852 0.06093272191760 0.04693092721555 0.04300633016236
        0.04105612756558 0.03911385143348 0.03333359769344 0.02762124048029 0.02573179375117
        0.02384954157900 0.02197440228337 0.02010629530635 0.01824514249274 0.01639086722552
        0.01454339424427 0.01270265034232 0.01086856361234 0.00904106371344 0.00722008153290
        0.00540554963739""",
}


@pytest.mark.parametrize("value", COLLEGE)
def test_the_electoral_college_of_1996_has_its_published_indices(value: str) -> None:
    """Looked up: I. Wilms, power_bdd 1.0.0 (2022), test_electoral_college_1996."""
    assert indices(of(COLLEGE_OF_1996, 270), value, 14) == COLLEGE[value].split()


def test_the_electoral_college_of_2000_has_its_printed_banzhaf_index() -> None:
    """From memory: N. R. Miller, A priori voting power and the U.S. Electoral College, for the
    census of 2000: California turns the vote with probability .475036."""
    assert indices(of(COLLEGE_OF_2000, 270), "banzhaf", 6)[0] == "0.475036"


def leechs_programs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("leech", Path(LEECH, "VotingPowerFunctions.py"))
    assert spec
    assert spec.loader
    programs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(programs)
    return programs


def leechs_weights(program: str) -> list[int]:
    """Read the weights of a program's example, in hundredths."""
    cells = json.loads(Path(LEECH, "PowerIndices.ipynb").read_text(encoding="utf-8"))["cells"]
    code = next(c for c in map("".join, (x["source"] for x in cells)) if f"import {program}" in c)
    found = re.search(r"weights=\[(.*?)\]", code, re.DOTALL)
    assert found
    return [round(100 * float(x)) for x in found[1].split(",")]


@pytest.mark.skipif(not LEECH, reason="COOP_LEECH names no folder of Leech's programs")
@pytest.mark.parametrize(("example", "quota"), [("ipmmle", 5010), ("ipgenf", 17300)])
def test_the_imf_and_the_council_have_leechs_numbers_of_swings(example: str, quota: int) -> None:
    """By his exact program `ipgenf`, from his weights: 178 governors of the IMF in 1999, of 99.99
    percent, and 27 states."""
    weights = leechs_weights(example)
    theirs = leechs_programs().ipgenf(quota, weights)
    ours = values(of(weights, quota), "banzhaf")
    others = len(weights) - 1
    assert ours == [int(swings) / 2**others for swings in theirs["Swings"]]
