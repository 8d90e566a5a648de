"""The JSON Schema of the files that `coop settle-git` reads: rules and weights.

python -m shapley_coop.extensions.bounty.schema > docs/settle-git.schema.json
"""

import json
import sys
from typing import Any

from shapley_coop.earned_value import WEIGHTS
from shapley_coop.extensions.repository.rules import KINDS, Rules


def schema() -> dict[str, Any]:
    """Return the schema, with `Rules` and `Weights` under `$defs`, one for each kind of file."""
    rules = Rules.model_json_schema()
    percent = {"type": "number", "minimum": 0, "maximum": 100}
    weights = {
        "type": "object",
        "description": "Kind → lowest and highest percent of the whole that it is worth.",
        "properties": {
            kind: {
                "type": "array",
                "prefixItems": [percent, percent],
                "items": False,
                "minItems": 2,
                "default": list(WEIGHTS[kind]),
            }
            for kind in KINDS
        },
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What coop settle-git can be told",
        "description": "--rules takes a file of $defs/Rules, --weights one of $defs/Weights.",
        "$defs": {**rules.pop("$defs", {}), "Rules": rules, "Weights": weights},
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(schema(), indent=2, ensure_ascii=False) + "\n")
