"""scikit-network's spectral embedding of the graph augmented by the attributes."""

import scipy.sparse as sp

from common import main


def embed(links, attributes, args):
    from sknetwork.embedding import Spectral

    # Nodes and attributes are the nodes of one undirected graph.
    links = links.maximum(links.T)
    augmented = sp.csr_matrix(sp.bmat([[links, attributes], [attributes.T, None]]))
    return Spectral(args.dim).fit_transform(augmented)[: links.shape[0]], {}


if __name__ == "__main__":
    main(embed)
