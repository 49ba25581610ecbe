"""Copies embeddings so that their mean squared entry is 1, which makes one penalty fair to all: IN
OUT [IN OUT ...].
"""

import sys

import numpy as np

for source, target in zip(sys.argv[1::2], sys.argv[2::2]):
    rows = np.load(source).astype(np.float64)
    if not np.isfinite(rows).all():
        sys.exit(f"{source}: not all entries are finite")
    spread = np.sqrt((rows**2).mean())
    np.save(target, (rows / (spread or 1.0)).astype(np.float32))
