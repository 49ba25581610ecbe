"""The NumPy version of the paper's algorithm does what it says. Skipped where NumPy and SciPy are
not installed.
"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))

try:
    import numpy as np
    import scipy.sparse as sp
except ImportError:
    np = None


def planted(n=40, d=25, seed=3):
    rng = np.random.default_rng(seed)
    links = sp.random(n, n, 0.15, random_state=rng, data_rvs=lambda k: np.ones(k))
    links = links.maximum(links.T).tocsr()
    return links, sp.random(n, d, 0.3, random_state=rng).tocsr()


@unittest.skipIf(np is None, "NumPy and SciPy are not installed")
class PaperGage(unittest.TestCase):
    def setUp(self):
        import paper_gage

        self.program = paper_gage
        self.Y1, self.Y2 = planted()

    def dense(self, Y):
        Y = Y.toarray() - Y.toarray().mean(axis=0)
        return Y @ Y.T

    def test_squared_norms_are_those_of_the_dense_matrices(self):
        wide = sp.random(20, 90, 0.2, random_state=1).tocsr()
        for Y in (self.Y1, self.Y2, wide):
            self.assertAlmostEqual(
                self.program.squared_norm(Y) / (self.dense(Y) ** 2).sum(), 1.0, places=10
            )

    def test_the_loss_is_the_dense_loss_and_never_rises(self):
        seen = []
        U, _ = self.program.gage_evd(self.Y1, self.Y2, 6)
        U, V, C, _ = self.program.gage_als(self.Y1, self.Y2, U, observe=seen.append)
        brute = sum(
            ((self.dense(Y) - (U * c) @ V.T) ** 2).sum()
            for Y, c in ((self.Y1, C[0]), (self.Y2, C[1]))
        )
        self.assertAlmostEqual(seen[-1] / brute, 1.0, places=8)
        self.assertGreater(len(seen), 3)
        for before, after in zip(seen, seen[1:]):
            self.assertLessEqual(after, before * (1 + 1e-10))

    def test_the_basis_is_that_of_the_dense_eigenproblem(self):
        U, iterations = self.program.gage_evd(self.Y1, self.Y2, 4)
        X1, X2 = self.dense(self.Y1), self.dense(self.Y2)
        _, vectors = np.linalg.eigh(X1 @ X1 + X2 @ X2)
        best = vectors[:, -4:]
        Q, _ = np.linalg.qr(U)
        cosines = np.linalg.svd(best.T @ Q, compute_uv=False)
        self.assertGreater(cosines[0], 0.99)
        self.assertLessEqual(iterations, self.program.MOST_ITERATIONS)

    def test_factors_of_a_model_of_low_rank_are_found(self):
        rng = np.random.default_rng(0)
        factors = rng.standard_normal((30, 3))
        Y1, Y2 = sp.csr_array(factors * [3.0, 1.0, 0.5]), sp.csr_array(factors * [0.4, 1.0, 2.0])
        U, _ = self.program.gage_evd(Y1, Y2, 3)
        U, V, C, _ = self.program.gage_als(Y1, Y2, U)
        norms = self.program.squared_norm(Y1), self.program.squared_norm(Y2)
        self.assertLess(self.program.loss(Y1, Y2, norms, U, V, C) / sum(norms), 1e-6)

    def test_rows_come_back_at_their_nodes(self):
        from common import rows_in_node_order

        rows = rows_in_node_order([[1.0, 1.0], [2.0, 2.0]], [3, 0], 5)
        self.assertEqual(rows[:, 0].tolist(), [2.0, 0.0, 0.0, 1.0, 0.0])
        with self.assertRaises(ValueError):
            rows_in_node_order([[1.0], [2.0]], [1, 1], 5)
        with self.assertRaises(ValueError):
            rows_in_node_order([[1.0]], [1, 2], 5)


if __name__ == "__main__":
    unittest.main()
