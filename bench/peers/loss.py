"""Relative loss of factors of either program, by one formula: sum_k ||X_k - U diag(c_k) V^T||^2 /
sum_k ||X_k||^2.

Takes a data set folder and `.npz` files with U, V, C or models of gage (`.gage`, where U = V);
prints JSON by file.
"""

import json
import struct
import sys

import numpy as np

from common import load
from paper_gage import loss, squared_norm

TYPES = {"F32": np.float32, "F64": np.float64}


def tensors(path, wanted):
    """Named tensors of a safetensors file: eight bytes of length, a JSON header, the numbers."""
    with open(path, "rb") as stream:
        (length,) = struct.unpack("<Q", stream.read(8))
        header = json.loads(stream.read(length))
        found = {}
        for name in wanted:
            entry = header[name]
            begin, end = entry["data_offsets"]
            stream.seek(8 + length + begin)
            found[name] = np.frombuffer(stream.read(end - begin), TYPES[entry["dtype"]]).reshape(
                entry["shape"]
            )
    return found


def factors(path):
    """U, V, C in double precision."""
    if path.endswith(".gage"):
        found = tensors(path, ["factors", "coefficients"])
        U = found["factors"].astype(np.float64)
        return U, U, found["coefficients"]
    with np.load(path) as found:
        return found["U"], found["V"], found["C"]


def relative_loss(Y1, Y2, norms, U, V, C):
    """Loss over the loss of the empty model. A model is centred in exact arithmetic; rounding is
    not charged to it.
    """
    U, V = U - U.mean(axis=0), V - V.mean(axis=0)
    return loss(Y1, Y2, norms, U, V, C) / sum(norms)


def main():
    Y1, Y2 = load(sys.argv[1], np.float64)
    norms = squared_norm(Y1), squared_norm(Y2)
    json.dump(
        {path: float(relative_loss(Y1, Y2, norms, *factors(path))) for path in sys.argv[2:]},
        sys.stdout,
    )
    print()


if __name__ == "__main__":
    main()
