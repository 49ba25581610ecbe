"""karateclub's TADW, BANE or TENE. The first and last return twice the columns requested: requested
half.
"""

import networkx as nx
import numpy as np
import scipy.sparse as sp

from common import main

TWICE = {"TADW", "TENE"}


def embed(links, attributes, args):
    import karateclub

    links = links.maximum(links.T)
    graph = nx.from_scipy_sparse_array(sp.csr_array(links))
    width = args.dim // 2 if args.method in TWICE else args.dim
    model = getattr(karateclub, args.method)(dimensions=width)
    model.fit(graph, sp.coo_matrix(attributes))
    return np.asarray(model.get_embedding()), {}


if __name__ == "__main__":
    main(embed, method="TADW")
