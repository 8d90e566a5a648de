"""For tests of `coop verify`: what it finds unsound in the run `r`."""

import json

from tests.coop_command import Coop


def failed_checks(coop: Coop) -> set[str]:
    """What `verify` finds unsound; its exit code says the same."""
    told = coop("verify", "r")
    as_json = coop("verify", "r", "--json")
    found = json.loads(as_json.out)
    unsound = {check["what"] for check in found["checks"] if not check["sound"]}
    assert told.code == as_json.code == (1 if unsound else 0)
    assert found["sound"] is not bool(unsound)
    assert told.out.count("FAIL") == len(unsound)
    return unsound
