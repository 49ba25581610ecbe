"""usearch: an index of all rows of an embedding, built and saved; then mapped again and requested
the neighbours of some rows.

    python search_usearch.py EMBEDDING.npy INDEX --queries 200 [--threads 2]

Prints JSON: seconds of building and of a question, and the share of the true ten neighbours found.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from usearch.index import Index

NEIGHBOURS = 10


def exact(rows, queries):
    """The nearest rows by cosine, by comparison with all of them."""
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-30)
    found = []
    for query in queries:
        cosines = unit @ unit[query]
        cosines[query] = -2
        found.append(set(np.argpartition(-cosines, NEIGHBOURS)[:NEIGHBOURS].tolist()))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("embedding")
    parser.add_argument("index")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    rows = np.load(args.embedding)
    clock = time.perf_counter()
    index = Index(ndim=rows.shape[1], metric="cos", dtype="f32")
    index.add(np.arange(len(rows)), rows, threads=args.threads)
    index.save(args.index)
    built = time.perf_counter() - clock
    queries = np.random.default_rng(0).choice(len(rows), args.queries, replace=False)
    true = exact(rows, queries)
    mapped = Index.restore(args.index, view=True)
    shares, times = [], []
    for query, expected in zip(queries, true):
        clock = time.perf_counter()
        near = mapped.search(rows[query], NEIGHBOURS + 1).keys
        times.append(time.perf_counter() - clock)
        shares.append(len(expected & set(int(key) for key in near if key != query)) / NEIGHBOURS)
    report = {
        "build_seconds": built,
        "index_bytes": Path(args.index).stat().st_size,
        "query_seconds": float(np.median(times)),
        "recall": float(np.mean(shares)),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
