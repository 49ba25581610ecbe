"""AnnData, the real one, in memory and in files. It is tested in the environment with the oldest
scikit-learn, since it does not go with the newest pandas.
"""

import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from gage_embed import GAGE, datasets, evaluate


def fit(*args, **kwargs):
    return GAGE(4, preset="balanced").fit(*args, **kwargs)


@pytest.fixture(scope="module")
def cells(planted):
    genes = [f"gene{at}" for at in range(12)]
    data = anndata.AnnData(
        planted.attributes.astype(np.float32),
        obs=pd.DataFrame({"kind": planted.labels.astype(str)}, index=planted.ids),
        var=pd.DataFrame(index=genes),
    )
    data.obsp["connectivities"] = planted.links
    data.obsp["distances"] = planted.links * 2.0
    data.obsm["X_pca"] = planted.attributes[:, :5]
    data.layers["counts"] = sp.csr_matrix(np.abs(planted.attributes))
    return data


def test_keys_choose_the_parts(planted, cells):
    x = planted.attributes.astype(np.float32)
    expected = fit(x, links=planted.links, nodes=planted.ids)
    model = fit(cells, links="connectivities")
    assert model.ids_ == planted.ids and (model.embedding_ == expected.embedding_).all()
    by_pca = fit(cells, links="connectivities", attributes="X_pca")
    plain = fit(planted.attributes[:, :5], links=planted.links)
    assert (by_pca.embedding_ == plain.embedding_).all()
    alone = fit(cells, links=False)
    assert (alone.embedding_ == fit(x).embedding_).all()
    only_links = fit(cells, links="connectivities", attributes=False)
    assert (only_links.embedding_ == fit(links=planted.links).embedding_).all()
    more = fit(cells, links="connectivities", views={"counts": "counts", "far": "distances"})
    assert {"counts", "far"} <= {view["name"] for view in more.views_}
    report = evaluate(model, cells.obs["kind"][::-1], train=0.5, shuffles=1)
    assert report["labelled"] == 120 and report["results"][0]["micro_f1"]["mean"] > 0.9


def test_what_no_key_settles_is_refused(cells):
    with pytest.raises(ValueError, match="links='connectivities', or links=False"):
        fit(cells)
    with pytest.raises(ValueError, match="no 'X_umap'.*`obsm` has X_pca; `layers` has counts"):
        fit(cells, links=False, attributes="X_umap")
    one = cells.copy()
    del one.obsp["distances"]
    assert (fit(one).embedding_ == fit(cells, links="connectivities").embedding_).all()


def test_new_cells_are_known_by_the_names_of_their_genes(cells):
    model = fit(cells, links=False)
    turned = cells[:5, ::-1].copy()
    turned.obs_names = [f"new{at}" for at in range(5)]
    rows, ids = model.fold_in(turned)
    assert ids == list(turned.obs_names)
    assert np.allclose(rows, model.transform(cells[:5]), atol=1e-6)
    with pytest.raises(ValueError, match="1 of 12 columns of the fit are missing, first 'gene0'"):
        model.transform(cells[:5, 1:].copy())


def test_files(cells, tmp_path):
    path = tmp_path / "cells.h5ad"
    cells.write_h5ad(path)
    expected = fit(cells, links="connectivities").embedding_
    assert (fit(path, links="connectivities").embedding_ == expected).all()
    data = datasets.load_h5ad(path, links="connectivities", labels="kind")
    assert (fit(data).embedding_ == expected).all() and data.class_names == ["0", "1", "2"]
    with pytest.raises(ValueError, match="no column 'type' in `obs`; there are kind"):
        datasets.load_h5ad(path, links=False, labels="type")
    backed = anndata.read_h5ad(path, backed="r")
    assert (fit(backed, links="connectivities").embedding_ == expected).all()
