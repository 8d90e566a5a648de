"""The contracts that models proposed in a published study: each open one is told and repaired.

The study is CoopEval (https://github.com/Xiao215/CoopEval), the folder `data/main_study` of its
repository. Its records are no part of this project:

    COOP_COOPEVAL=…/data/main_study pytest -s extensions/completeness/tests/test_published.py
"""

import os
from collections import Counter
from pathlib import Path

import pytest

from shapley_coop.deals.analysis.ability_to_pay import means_of
from shapley_coop.deals.analysis.checked import certify_terms
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.language.deal import Deal
from shapley_coop.extensions.completeness import examine, propose
from tests.brought import brought_by
from tests.root import DATA

STUDY = Path(os.environ.get("COOP_COOPEVAL") or DATA / "coopeval")


@brought_by("studies")
@pytest.mark.skipif(not STUDY.is_dir(), reason="the records of CoopEval are absent: COOP_COOPEVAL")
def test_every_published_contract_that_is_not_dominant_is_told_and_most_are_repaired() -> None:
    from shapley_coop.extensions.studies.coopeval import import_study

    studied = [(one.experiment.world, x) for one in import_study(STUDY) for x in one.proposed]
    proposed = [(world, x) for world, x in studied if "contract" in x.more]
    count: Counter[str] = Counter()
    for world, contract in proposed:
        facts = {**facts_of(world.game), **means_of(world.game)}
        found = examine(Deal.model_validate(contract.more["contract"]), facts)
        assert contract.dominant is (found.nearest is None)
        if found.nearest is None:
            count["dominant"] += 1
            continue
        count["a breach gains" if found.nearest.gain else "a breach is costless"] += 1
        repair = propose(found)
        size = len(repair.added) if repair else 0
        count[f"repaired by {size}" if repair else "not repaired"] += 1
        if repair:
            certified, _ = certify_terms(repair.then.deal.record(), world.game)
            assert certified["sound"]
            assert all(party["dominant"] for party in certified["parties"].values())
    print(f"\n{len(proposed)} published contracts:", dict(sorted(count.items())))
    broken = len(proposed) - count["dominant"]
    assert broken > 0
    assert count["repaired by 1"] + count["repaired by 2"] >= 4 * broken / 5
