"""Real `Data` and `HeteroData` of PyTorch Geometric: the same bits as the same data in arrays."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.transforms import ToUndirected

from gage_embed import GAGE, evaluate


def fit(*args, **kwargs):
    return GAGE(4, preset="balanced").fit(*args, **kwargs)


def bits(*args, **kwargs):
    return fit(*args, **kwargs).embedding_.tobytes()


@pytest.fixture(scope="module")
def x(planted):
    return planted.attributes.astype(np.float32)


@pytest.fixture(scope="module")
def index(planted):
    """Both directions of every link, as PyTorch Geometric has undirected graphs."""
    return torch.tensor(np.concatenate([planted.edges, planted.edges[:, ::-1]]).T.copy())


def matrix(index, weights, count):
    rows, columns = index.numpy()
    return sp.csr_matrix((np.asarray(weights), (rows, columns)), shape=(count, count))


def test_links_and_features(planted, x, index):
    expected = bits(x, links=planted.links)
    data = Data(x=torch.tensor(x), edge_index=index)
    assert bits(data) == expected
    assert bits(Data(x=torch.tensor(x), edge_index=index.int())) == expected
    assert bits(Data(x=torch.tensor(x, requires_grad=True), edge_index=index)) == expected
    one_way = Data(x=torch.tensor(x), edge_index=torch.tensor(planted.edges.T.copy()))
    assert bits(ToUndirected()(one_way)) == expected
    assert GAGE(4, preset="balanced", directed=False).fit(one_way).embedding_.tobytes() == expected
    assert fit(data).transform(x[:3]).shape == (3, 4)
    assert (
        evaluate(fit(data), torch.tensor(planted.labels), train=0.5, shuffles=2)["results"][0][
            "micro_f1"
        ]["mean"]
        > 0.9
    )


@pytest.mark.parametrize(
    "number", [torch.float16, torch.float32, torch.float64, torch.int64, torch.bool, torch.bfloat16]
)
def test_every_number_type(planted, index, number):
    x = torch.tensor(planted.attributes > 0).to(number)
    expected = bits((planted.attributes > 0).astype(np.float32), links=planted.links)
    assert bits(Data(x=x, edge_index=index)) == expected


def test_weights(planted, x, index):
    count = len(x)
    weights = np.random.default_rng(0).integers(1, 5, len(planted.edges)).astype(np.float32)
    weights = np.concatenate([weights, weights])
    expected = bits(x, links=matrix(index, weights, count))
    assert expected != bits(x, links=planted.links)
    assert (
        bits(Data(x=torch.tensor(x), edge_index=index, edge_weight=torch.tensor(weights)))
        == expected
    )
    assert (
        bits(Data(x=torch.tensor(x), edge_index=index, edge_attr=torch.tensor(weights))) == expected
    )
    assert (
        bits(Data(x=torch.tensor(x), edge_index=index, edge_attr=torch.tensor(weights)[:, None]))
        == expected
    )
    # Several columns are no weights.
    several = Data(x=torch.tensor(x), edge_index=index, edge_attr=torch.rand(index.shape[1], 3))
    with pytest.warns(UserWarning, match="edge_attr has 3 columns"):
        assert bits(several) == bits(x, links=planted.links)


def test_nodes_without_links_or_features(planted, index):
    count = len(planted.ids) + 5
    links = matrix(index, np.ones(index.shape[1], np.float32), count)
    assert bits(Data(edge_index=index, num_nodes=count)) == bits(links=links)
    assert len(fit(Data(edge_index=index)).embedding_) == len(planted.ids)


def test_features_alone(x):
    assert bits(Data(x=torch.tensor(x))) == bits(x)


def test_sparse_features(planted, x, index):
    sparse = np.where(x > 1, x, 0).astype(np.float32)
    expected = bits(sp.csr_matrix(sparse), links=planted.links)
    for made in (torch.tensor(sparse).to_sparse(), torch.tensor(sparse).to_sparse_csr()):
        assert bits(Data(x=made, edge_index=index)) == expected


def test_transposed_adjacency_instead_of_an_index(planted, x, index):
    some = index[:, : index.shape[1] * 2 // 3]
    expected = bits(Data(x=torch.tensor(x), edge_index=some))
    ones = torch.ones(some.shape[1])
    adjacency = torch.sparse_coo_tensor(some.flip(0), ones, (len(x), len(x)))
    for made in (adjacency, adjacency.to_sparse_csr()):
        assert bits(Data(x=torch.tensor(x), adj_t=made)) == expected


@pytest.fixture
def hetero(planted, x, index):
    data = HeteroData()
    data["paper"].x = torch.tensor(x)
    data["venue"].num_nodes = 3
    data["author"].x = torch.ones(7, 2)
    data["paper", "cites", "paper"].edge_index = index
    data["paper", "in", "venue"].edge_index = torch.tensor(
        np.stack([np.arange(len(x)), planted.labels])
    )
    data["author", "writes", "paper"].edge_index = torch.tensor([[0, 1, 2, 6, 6], [4, 5, 6, 7, 8]])
    data["author", "writes", "paper"].edge_weight = torch.tensor([1.0, 2.0, 1.0, 1.0, 3.0])
    data["author", "knows", "author"].edge_index = torch.tensor([[0, 1, 2], [1, 2, 3]])
    return data


def test_one_type_of_nodes(planted, x, hetero):
    venue = sp.csr_matrix(np.eye(3, dtype=np.float32)[planted.labels])
    author = sp.csr_matrix(
        ([1, 2, 1, 1, 3], ([4, 5, 6, 7, 8], [0, 1, 2, 6, 6])), shape=(len(x), 7), dtype=np.float32
    )
    views = {
        "links": planted.links,
        "attributes": x,
        "paper in venue": venue,
        "author writes paper": author,
    }
    model = fit(hetero, node_type="paper")
    assert model.embedding_.tobytes() == bits(views)
    assert {"links", "attributes", "paper in venue", "author writes paper"} <= {
        view["name"] for view in model.views_
    }
    assert len(fit(hetero, node_type="author").embedding_) == 7


def test_types_are_asked_for_and_known(hetero):
    with pytest.raises(ValueError, match="paper, venue, author"):
        fit(hetero)
    with pytest.raises(ValueError, match="there is no type 'editor'"):
        fit(hetero, node_type="editor")


def test_graphs_that_make_no_sense(x, index):
    for data, words in (
        (Data(), "nothing was given|edge_index|num_nodes"),
        (Data(x=torch.tensor(x), edge_index=torch.tensor([[0, 500], [1, 2]])), "outside the"),
        (Data(x=torch.tensor(x), edge_index=torch.tensor([[-1, 0], [1, 2]])), "outside the"),
        (Data(x=torch.tensor(x), edge_index=index, edge_weight=torch.ones(3)), "3 weights"),
        (Data(x=torch.tensor(x), edge_index=index[0]), "edge_index: found shape"),
        (Data(x=torch.tensor(x), edge_index=index.double() + 0.5), "edge_index"),
        (Data(x=torch.full((4, 2), float("inf")), edge_index=torch.tensor([[0], [1]])), "inf"),
        (
            Data(x=torch.ones(4, 2, dtype=torch.complex64), edge_index=torch.tensor([[0], [1]])),
            "omplex",
        ),
    ):
        with pytest.raises(ValueError, match=words):
            fit(data)
    empty = HeteroData()
    empty["paper"].x = torch.tensor(x)
    empty["paper", "cites", "paper"].edge_attr = torch.ones(3)
    with pytest.raises(ValueError, match="edge_index"):
        fit(empty)
    with pytest.raises(ValueError, match="no types of nodes|node_type"):
        fit(HeteroData())


def test_tensors_are_arrays_too(planted, x):
    expected = bits(x, links=planted.links)
    assert bits(torch.tensor(x), links=torch.tensor(planted.links.toarray())) == expected
    assert bits(torch.tensor(x, requires_grad=True), links=torch.tensor(planted.edges)) == expected
