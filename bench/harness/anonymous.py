"""Takes the places of one machine out of what is kept: results are committed, paths and hosts are
nobody's business.
"""

import json
import re
from pathlib import Path

ADDRESS = re.compile(r"https?://[^\s\"'\\]+")


def without_places(value, settings):
    """A JSON value with known folders replaced by their roles and addresses by `ADDRESS`."""
    places = {"SCRATCH": settings.scratch, "CACHE": settings.cache, "DATASETS": settings.datasets}
    places |= {"REPOSITORY": settings.root, "HOME": Path.home()}
    text = json.dumps(value, ensure_ascii=False)
    # Longest first: the scratch folder lies in the cache, which lies in the repository.
    for role, place in sorted(places.items(), key=lambda item: -len(str(item[1]))):
        if place and len(str(place)) > 1:
            text = text.replace(str(place), role)
    return json.loads(ADDRESS.sub("ADDRESS", text))
