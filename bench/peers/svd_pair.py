"""scikit-learn's truncated SVDs of links and of attributes, half of the columns each."""

import numpy as np
from sklearn.decomposition import TruncatedSVD

from common import main


def embed(links, attributes, args):
    halves = [
        TruncatedSVD(args.dim // 2, random_state=args.seed).fit_transform(Y)
        for Y in (links, attributes)
    ]
    return np.hstack(halves), {
        "links_dtype": str(links.dtype),
        "attributes_dtype": str(attributes.dtype),
    }


if __name__ == "__main__":
    main(embed)
