"""Where the repository lies, and where records of others do, which are no part of it."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("COOP_SHARED_DATA") or ROOT.parent / "shared" / "data")
