"""pycleora with its own defaults: the graph only, 40 iterations."""

from common import main, rows_in_node_order


def embed(links, attributes, args):
    from pycleora import embed as cleora
    from pycleora.io_utils import from_scipy_sparse

    graph = from_scipy_sparse(links)
    rows = cleora(graph, feature_dim=args.dim, num_iterations=40)
    # Its rows are in the order it met the nodes, and nodes without links are absent.
    rows = rows_in_node_order(rows, [int(name) for name in graph.entity_ids], links.shape[0])
    return rows, {}


if __name__ == "__main__":
    main(embed)
