"""The networks once more, plain and dense, from their losses alone. NumPy only.

Gradients come from a small reverse-mode differentiation, so that nothing of the hand-written
backward passes is repeated here.

Usage: networks.py METHOD RATE, in a folder with arrays.txt (name, rows, columns) and for each array
NAME.bin (float64). Does ten steps of Adam; writes losses.bin and after-K.bin for parameter K.
"""

import sys
from pathlib import Path

import numpy as np

STEPS = 10


class Value:
    """A matrix, what it was made from, and how a gradient passes on to that."""

    # Arrays leave mixed operations to this class.
    __array_ufunc__ = None

    def __init__(self, value, parents=()):
        self.value = np.asarray(value, float)
        self.parents = parents
        self.gradient = None

    def __add__(self, other):
        other = lift(other)
        return Value(self.value + other.value, [(self, lambda g: g), (other, lambda g: g)])

    def __mul__(self, other):
        other = lift(other)
        parents = [(self, lambda g: g * other.value), (other, lambda g: g * self.value)]
        return Value(self.value * other.value, parents)

    def __matmul__(self, other):
        other = lift(other)
        parents = [(self, lambda g: g @ other.value.T), (other, lambda g: self.value.T @ g)]
        return Value(self.value @ other.value, parents)

    def __rmatmul__(self, other):
        return lift(other) @ self

    def __rsub__(self, other):
        return lift(other) - self

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + -lift(other)

    def __truediv__(self, other):
        return self * lift(other).map(lambda x: 1 / x, lambda x: -1 / x**2)

    __radd__, __rmul__ = __add__, __mul__

    @property
    def T(self):
        return Value(self.value.T, [(self, lambda g: g.T)])

    def map(self, f, derivative):
        return Value(f(self.value), [(self, lambda g: g * derivative(self.value))])

    def sum(self, axis=None):
        total = self.value.sum(axis, keepdims=True)
        return Value(total, [(self, lambda g: g * np.ones_like(self.value))])

    def mean(self, axis=None):
        total = self.sum(axis)
        return total * (total.value.size / self.value.size)

    def rows(self, places):
        def back(g):
            out = np.zeros_like(self.value)
            np.add.at(out, places, g)
            return out

        return Value(self.value[places], [(self, back)])

    def extreme(self, places):
        """One entry of every row."""
        every = np.arange(len(self.value))

        def back(g):
            out = np.zeros_like(self.value)
            out[every, places] = g[:, 0]
            return out

        return Value(self.value[every, places][:, None], [(self, back)])


def lift(x):
    return x if isinstance(x, Value) else Value(np.atleast_2d(x))


def differentiate(loss):
    order, seen = [], set()

    def visit(node):
        if id(node) not in seen:
            seen.add(id(node))
            for parent, _ in node.parents:
                visit(parent)
            order.append(node)

    visit(loss)
    for node in order:
        node.gradient = np.zeros_like(node.value)
    loss.gradient += 1.0
    for node in reversed(order):
        for parent, back in node.parents:
            g = back(node.gradient)
            for axis, size in enumerate(parent.value.shape):
                if size == 1 and g.shape[axis] > 1:
                    g = g.sum(axis, keepdims=True)
            parent.gradient += g


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return x.map(lambda x: np.logaddexp(0, x), sigmoid)


def exp(x):
    return x.map(np.exp, np.exp)


def rectified(x, slope=0.0):
    """Max(x, 0) + slope * min(x, 0)."""
    high = x.map(lambda x: np.maximum(x, 0), lambda x: (x > 0) * 1.0)
    return high + slope * x.map(lambda x: np.minimum(x, 0), lambda x: (x <= 0) * 1.0)


def cross_entropy(logits, targets):
    return targets * softplus(-logits) + (1 - targets) * softplus(logits)


method, rate = sys.argv[1], float(sys.argv[2])
given = {}
for line in Path("arrays.txt").read_text().splitlines():
    name, rows, columns = line.split()
    given[name] = np.fromfile(f"{name}.bin").reshape(int(rows), int(columns))


def propagation():
    loops = given["links"] + np.eye(len(given["links"]))
    scale = loops.sum(1) ** -0.5
    return scale[:, None] * loops * scale


def autoencoder(p, step, variational):
    A, P, X = given["links"], propagation(), given["attributes"]
    hidden = rectified((P @ X) @ p[0])
    z = mean = lift(P) @ (hidden @ p[1])
    if variational:
        spread = lift(P) @ (hidden @ p[2])
        z = mean + given[f"noise-{step}"] * exp(spread)
    s, n, m = z @ z.T, len(A), A.sum()
    weight, norm = (n * n - m) / m, n * n / (2 * (n * n - m))
    T = A + np.eye(n)
    loss = norm * (weight * T * softplus(-s) + (1 - T) * softplus(s)).mean()
    if variational:
        inner = 1 + 2 * spread - mean * mean - exp(2 * spread)
        loss = loss - 0.5 / n * inner.sum(1).mean()
    return loss


def infomax(p, step):
    X, P = given["attributes"], lift(propagation())
    X = X / X.sum(1, keepdims=True)
    W, b, slope, B, c = p
    order = given[f"order-{step}"].astype(int)[:, 0]
    real = rectified(P @ (lift(X) @ W) + b, slope)
    shuffled = rectified(P @ (lift(X[order]) @ W) + b, slope)
    summary = real.mean(0).map(sigmoid, lambda x: sigmoid(x) * (1 - sigmoid(x)))
    high, low = (h @ B @ summary.T + c for h in (real, shuffled))
    return 0.5 * (cross_entropy(high, 1.0).mean() + cross_entropy(low, 0.0).mean())


def adaptive(p, step):
    n = len(given["links"])
    smooth = np.eye(n) / 3 + propagation() * 2 / 3
    y = np.linalg.matrix_power(smooth, 3) @ given["attributes"] @ p[0] + p[1]
    low, high = y.extreme(y.value.argmin(1)), y.extreme(y.value.argmax(1))
    z = (y - low) / (high - low)
    z = z / (z * z).sum(1).map(np.sqrt, lambda x: 0.5 / np.sqrt(x))
    pairs = given[f"pairs-{step}"].astype(int)
    cosine = (z.rows(pairs[:, 0]) * z.rows(pairs[:, 1])).sum(1)
    return cross_entropy(cosine, pairs[:, 2:].astype(float)).mean()


def layers(p, x, output):
    code = rectified(x @ p[0] + p[1], 0.2) @ p[2] + p[3]
    back = rectified(code @ p[4] + p[5], 0.2) @ p[6] + p[7]
    return code, output(back)


def logistic(x):
    return x.map(sigmoid, lambda x: sigmoid(x) * (1 - sigmoid(x)))


def attributed(p, step):
    beta, alpha, gamma = given["weights"][0]
    codes, error = {}, 0.0
    for kind in ("own", "unlike"):
        for k, output in enumerate((logistic, lambda x: x)):
            x = given[f"{kind}-{k}-{step}"]
            codes[kind, k], restored = layers(p[8 * k : 8 * k + 8], lift(x), output)
            difference = restored - x
            error = (difference * difference).sum(1).mean() + error
    W = given[f"linked-{step}"]
    first = 0.0
    for code in codes.values():
        entropy = cross_entropy(code @ code.T, W + np.eye(len(W)))
        itself = cross_entropy((code * code).sum(1).T, 1.0)
        first = (entropy - itself).mean() + first
    inner = lambda a, b: (codes[a, 0] * codes[b, 1]).sum(1)
    cross = cross_entropy(inner("own", "own"), 1.0)
    cross = cross + cross_entropy(inner("unlike", "own"), 0.0)
    cross = cross + cross_entropy(inner("own", "unlike"), 0.0)
    return beta * error + gamma * first + alpha * cross.mean()


def denoising(p, step):
    clean = given[f"rows-{step}"]
    hidden = rectified(lift(clean * given[f"mask-{step}"]) @ p[0] + p[1], 0.2)
    restored = logistic(hidden * given[f"hidden-mask-{step}"] @ p[2] + p[3])
    difference = restored - clean
    return (difference * difference).mean()


loss_of = {
    "gae": lambda p, step: autoencoder(p, step, False),
    "vgae": lambda p, step: autoencoder(p, step, True),
    "dgi": infomax,
    "age": adaptive,
    "dane": attributed,
    "dane-pretraining": denoising,
}[method]
count = sum(name.startswith("parameter-") for name in given)
weights = [given[f"parameter-{k}"] for k in range(count)]
means, squares, losses = [0.0] * count, [0.0] * count, []
for step in range(STEPS):
    parameters = [Value(w) for w in weights]
    loss = loss_of(parameters, step)
    losses.append(loss.value.item())
    differentiate(loss)
    for k, p in enumerate(parameters):
        means[k] = 0.9 * means[k] + 0.1 * p.gradient
        squares[k] = 0.999 * squares[k] + 0.001 * p.gradient**2
        # The small number is added before the correction of the squares, as in TensorFlow.
        size = rate * np.sqrt(1 - 0.999 ** (step + 1)) / (1 - 0.9 ** (step + 1))
        weights[k] = weights[k] - size * means[k] / (np.sqrt(squares[k]) + 1e-8)
np.array(losses).tofile("losses.bin")
for k, w in enumerate(weights):
    np.ascontiguousarray(w).tofile(f"after-{k}.bin")
sys.stdout.write(np.__version__)
