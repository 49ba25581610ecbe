"""The baselines once more, plain and dense, straight from their descriptions. NumPy only.

Usage: recipes.py METHOD NODES COLUMNS DIMENSION, in a folder with links.bin, attributes.bin and
start.bin (float64); writes embedding.bin.
"""

import sys

import numpy as np

method, nodes, columns, dimension = sys.argv[1], *map(int, sys.argv[2:5])
A = np.fromfile("links.bin").reshape(nodes, nodes)
X = np.fromfile("attributes.bin").reshape(nodes, columns)
start = np.fromfile("start.bin")


def safe(x):
    return np.where(x == 0, 1, x)


def unit_rows(M):
    return M / safe(np.linalg.norm(M, axis=1, keepdims=True))


def unit_columns(M):
    return M / safe(np.linalg.norm(M, axis=0, keepdims=True))


def tf_idf(M):
    return unit_rows(M * (np.log((1 + nodes) / (1 + (M != 0).sum(0))) + 1))


def svd(M, rank):
    u, s, vt = np.linalg.svd(M, full_matrices=False)
    u, s, v = u[:, :rank], s[:rank], vt[:rank].T
    sign = np.sign(u[np.abs(u).argmax(0), np.arange(u.shape[1])])
    return u * sign, s, v * sign


def concatenated():
    parts = []
    for matrix in (A, tf_idf(X)):
        u, s, _ = svd(matrix, dimension // 2)
        parts.append(u * s / np.sqrt(np.mean((u * s) ** 2)))
    return np.hstack(parts)


def ssgc():
    loops = A + np.eye(nodes)
    scale = loops.sum(1) ** -0.5
    smooth = scale[:, None] * loops * scale
    power, mean = tf_idf(X), 0
    for _ in range(8):
        power = smooth @ power
        mean = mean + power / 8
    u, s, _ = svd(mean, dimension)
    return unit_rows(u * s)


def pane():
    P = A / safe(A.sum(1, keepdims=True))
    R = X / safe(X.sum(1, keepdims=True))
    C = R / safe(R.sum(0, keepdims=True))
    forward, backward = R, C
    for _ in range(5):
        forward = 0.5 * P @ forward + R
        backward = 0.5 * P.T @ backward + C
    forward, backward = 0.5 * forward, 0.5 * backward
    forward = np.log2(nodes * forward / safe(forward.sum(0, keepdims=True)) + 1)
    backward = np.log2(columns * backward / safe(backward.sum(1, keepdims=True)) + 1)
    u, s, Y = svd(forward, dimension // 2)
    ahead, behind = u * s, backward @ Y
    for _ in range(5):
        residual = behind @ Y.T - backward
        for f in range(Y.shape[1]):
            step = residual @ Y[:, f] / (Y[:, f] @ Y[:, f])
            behind[:, f] -= step
            residual -= np.outer(step, Y[:, f])
        for f in range(Y.shape[1]):
            step = behind[:, f] @ residual / (behind[:, f] @ behind[:, f])
            Y[:, f] -= step
            residual -= np.outer(behind[:, f], step)
    return np.hstack([unit_rows(ahead), unit_rows(behind)])


def tadw(text):
    P = A / safe((A != 0).sum(1, keepdims=True))
    M = (P + P @ P) / 2
    u, s, _ = svd(text, 200)
    T = u * s
    rank, ridge = dimension // 2, 0.1
    scaled = unit_columns(T)
    H = start.reshape(rank, T.shape[1])
    for _ in range(10):
        B = H @ scaled.T
        W = np.linalg.solve(B @ B.T + ridge * np.eye(rank), B @ M.T)
        # (W W^T) H (T'^T T') + ridge H = W M T', solved as the Sylvester equation it is.
        p, P1 = np.linalg.eigh(W @ W.T)
        q, Q1 = np.linalg.eigh(scaled.T @ scaled)
        H = P1 @ ((P1.T @ (W @ M @ scaled) @ Q1) / (np.outer(p, q) + ridge)) @ Q1.T
    return np.hstack([unit_columns(W.T), unit_columns(T @ H.T)])


def tpine():
    rows = tf_idf(X)
    similar = rows @ rows.T
    np.fill_diagonal(similar, -1)
    near = np.zeros((nodes, nodes))
    np.put_along_axis(near, np.argsort(-similar, axis=1)[:, :10], 1, axis=1)
    near = np.maximum(near * (similar > 0), (near * (similar > 0)).T)
    slabs = np.stack([A, near])
    V, C = start.reshape(nodes, dimension), np.ones((2, dimension))
    for _ in range(4):
        # Least squares against the whole unfolded tensor, one mode after another.
        khatri_rao = np.einsum("kf,jf->kjf", C, V).reshape(-1, dimension)
        U = np.linalg.lstsq(khatri_rao, slabs.transpose(0, 2, 1).reshape(-1, nodes), rcond=None)[
            0
        ].T
        U = unit_columns(U)
        khatri_rao = np.einsum("kf,if->kif", C, U).reshape(-1, dimension)
        V = np.linalg.lstsq(khatri_rao, slabs.reshape(-1, nodes), rcond=None)[0].T
        V = unit_columns(V)
        khatri_rao = np.einsum("if,jf->ijf", U, V).reshape(-1, dimension)
        C = np.linalg.lstsq(khatri_rao, slabs.reshape(2, -1).T, rcond=None)[0].T
    return U * np.linalg.norm(C, axis=0)


def original_text():
    return X * np.log(nodes / safe((X != 0).sum(0))) if np.isin(X, [0, 1]).all() else X


E = {
    "svd": concatenated,
    "ssgc": ssgc,
    "pane": pane,
    "tadw": lambda: tadw(unit_rows(X)),
    "tadw-original": lambda: tadw(original_text()),
    "tpine": tpine,
}[method]()
(E / np.sqrt(np.mean(E**2))).astype(np.float64).tofile("embedding.bin")
sys.stdout.write(np.__version__)
