"""What every peer program does: read two matrices, time the fit, write one row for each node, print
JSON.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp


def load(folder, dtype=None):
    """Links and attributes of a data set folder, as CSR."""
    links = sp.load_npz(Path(folder) / "adj.npz").tocsr()
    attributes = sp.load_npz(Path(folder) / "features.npz").tocsr()
    return (links, attributes) if dtype is None else (links.astype(dtype), attributes.astype(dtype))


def rows_in_node_order(rows, nodes, n):
    """Puts rows that came back in another order, some left out, at their nodes; nodes left out get
    zeros.

    Zeros and not the mean: that is what the graph alone says about a node without links.
    """
    rows = np.asarray(rows)
    nodes = np.asarray(nodes, dtype=np.int64)
    if len(nodes) != len(rows):
        raise ValueError(f"{len(rows)} rows for {len(nodes)} nodes")
    if len(np.unique(nodes)) != len(nodes):
        raise ValueError("a node occurs twice")
    out = np.zeros((n, rows.shape[1]), dtype=np.float32)
    out[nodes] = rows
    return out


def main(embed, **options):
    """Command line of a peer: FOLDER OUT.npy --dim F; `embed(links, attributes, dim, args)` returns
    the rows.

    `options` are further flags with their defaults.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("output")
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--seed", type=int, default=0)
    for name, default in options.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    args = parser.parse_args()

    started = time.perf_counter()
    links, attributes = load(args.folder)
    read = time.perf_counter()
    rows, facts = embed(links, attributes, args)
    fitted = time.perf_counter()
    np.save(args.output, np.ascontiguousarray(rows, dtype=np.float32))
    written = time.perf_counter()
    facts["seconds"] = {"read": read - started, "fit": fitted - read, "write": written - fitted}
    facts["columns"] = int(rows.shape[1])
    json.dump(facts, sys.stdout)
    print()
