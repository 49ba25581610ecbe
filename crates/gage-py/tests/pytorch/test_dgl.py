"""The real DGL: the same graph in its classes is the same graph."""

import os

import numpy as np
import pytest
import torch

from gage_embed import GAGE

os.environ.setdefault("DGLBACKEND", "pytorch")
import dgl  # noqa: E402


def fit(*args, **kwargs):
    return GAGE(4, preset="balanced").fit(*args, **kwargs)


@pytest.fixture
def ends(planted):
    return tuple(torch.tensor(np.concatenate([planted.edges, planted.edges[:, ::-1]]).T))


def test_a_graph_of_one_type(planted, ends):
    expected = fit(planted.attributes, links=planted.links).embedding_
    graph = dgl.graph(ends, num_nodes=len(planted.ids))
    assert (fit(planted.attributes, links=graph).embedding_ == expected).all()
    graph.ndata["feat"] = torch.tensor(planted.attributes)
    graph.ndata["label"] = torch.tensor(planted.labels)
    graph.ndata["train_mask"] = torch.ones(len(planted.ids), dtype=torch.bool)
    assert (fit(graph).embedding_ == expected).all()
    graph.edata["weight"] = torch.full((len(ends[0]),), 2.0)
    heavy = fit(planted.attributes, links=planted.links * 2.0).embedding_
    assert (fit(graph).embedding_ == heavy).all()
    del graph.ndata["feat"]
    graph.ndata["a"], graph.ndata["b"] = torch.zeros(120, 2), torch.zeros(120, 3)
    with pytest.raises(ValueError, match=r"graph.ndata\['a'\]"):
        fit(graph)


def test_one_type_of_several(planted, ends):
    towns = (torch.arange(120), torch.tensor(planted.labels))
    graph = dgl.heterograph(
        {("person", "follows", "person"): ends, ("person", "lives in", "city"): towns}
    )
    graph.nodes["person"].data["feat"] = torch.tensor(planted.attributes)
    model = fit(graph, node_type="person")
    names = {view["name"] for view in model.views_}
    assert "person lives in city" in names and "links" in names
    table = np.eye(3)[planted.labels]
    same = fit(planted.attributes, links=planted.links, views={"person lives in city": table})
    assert np.allclose(model.embedding_, same.embedding_, atol=1e-5)
    with pytest.raises(ValueError, match="city, person"):
        fit(graph)


def test_an_edge_index_is_a_tensor_as_well(planted, ends):
    expected = fit(planted.attributes, links=planted.links).embedding_
    index = torch.stack(ends)
    assert (fit(torch.tensor(planted.attributes), links=index).embedding_ == expected).all()
