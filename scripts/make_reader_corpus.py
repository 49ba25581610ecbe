#!/usr/bin/env python3
"""Writes the hand-made part of the readers' fuzz corpus (crates/gage-embed/tests/corpus).

Needs numpy and scipy. Inputs found by fuzzing lie in the same folders and are left alone, as are
the models, which the library itself wrote.
"""

import gzip
import io
import json
import pathlib
import struct
import zipfile
import zlib

import numpy as np
import scipy.io
import scipy.sparse as sp

ROOT = pathlib.Path(__file__).resolve().parent.parent / "crates" / "gage-embed" / "tests" / "corpus"
DATE = (1980, 1, 1, 0, 0, 0)


def put(reader, name, content):
    folder = ROOT / reader
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def header(text, data=b"", version=1):
    """An .npy file with any header."""
    text = text.encode()
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + data


def archive(members, packed=True, comment=b""):
    out = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(out, "w", method) as file:
        for name, data in members:
            file.writestr(zipfile.ZipInfo(name, DATE), data, compress_type=method)
        file.comment = comment
    return out.getvalue()


def sparse(matrix, packed=False, **changes):
    """What scipy.sparse.save_npz writes, with some members changed."""
    parts = {
        "format": np.array(matrix.format.encode()),
        "shape": np.array(matrix.shape),
        "data": matrix.data,
    }
    if matrix.format == "coo":
        parts |= {"row": matrix.row, "col": matrix.col}
    else:
        parts |= {"indices": matrix.indices, "indptr": matrix.indptr}
    parts |= changes
    members = [
        (name + ".npy", npy(np.asarray(part))) for name, part in parts.items() if part is not None
    ]
    return archive(members, packed)


def squeezed(text):
    text = text if isinstance(text, bytes) else text.encode()
    return gzip.compress(text, mtime=0)


GARBAGE = bytes((i * 197 + i * i // 7) % 256 for i in range(500))
HALF = squeezed("a,b\n" * 400)[:-12]
EMPTY = b""


def arrays():
    put("npy", "f64.npy", npy(np.arange(12.0).reshape(4, 3)))
    put("npy", "f32_fortran.npy", npy(np.asfortranarray(np.arange(12, dtype="f4").reshape(4, 3))))
    put("npy", "f16.npy", npy(np.arange(6, dtype="f2").reshape(2, 3)))
    put("npy", "i32_big_endian.npy", npy(np.arange(8, dtype=">i4").reshape(4, 2)))
    put("npy", "pairs.npy", npy(np.array([[0, 1], [1, 2], [2, 0], [7, 1]])))
    put("npy", "u64_huge.npy", npy(np.array([1, 2**64 - 1], dtype="u8")))
    put("npy", "bool.npy", npy(np.eye(3, dtype=bool)))
    put("npy", "text.npy", npy(np.array(["a", "bé", "", "日本語"])))
    put("npy", "bytes.npy", npy(np.array([b"a", b"bcd"])))
    put("npy", "labels.npy", npy(np.array([0, 1, -1, 2, 1])))
    put("npy", "years.npy", npy(np.array([1999, 2024, -1, 2024])))
    put("npy", "nan.npy", npy(np.array([[np.nan, 1.0], [np.inf, -0.0]])))
    put("npy", "scalar.npy", npy(np.array(3.5)))
    put("npy", "cube.npy", npy(np.zeros((2, 2, 2))))
    put("npy", "no_rows.npy", npy(np.zeros((0, 3))))
    put("npy", "no_columns.npy", npy(np.zeros((3, 0))))
    put("npy", "complex.npy", npy(np.zeros(2, dtype=complex)))
    put("npy", "record.npy", npy(np.zeros(2, dtype=[("a", "i4"), ("b", "f8")])))
    fields = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }"
    put("npy", "1e15_rows.npy", header(fields % ("<f8", "(1000000000000000, 4)"), bytes(8)))
    put("npy", "2e64.npy", header(fields % ("<f8", "(4294967296, 4294967296)")))
    put("npy", "2e64_rows_no_columns.npy", header(fields % ("<f8", "(18446744073709551615, 0)")))
    put("npy", "2e40_rows_no_columns.npy", header(fields % ("<i8", "(1099511627776, 0)")))
    put("npy", "empty_strings.npy", header(fields % ("<U0", "(1099511627776,)")))
    put("npy", "wide_strings.npy", header(fields % ("<U4611686018427387904", "(4,)"), bytes(16)))
    put("npy", "negative_shape.npy", header(fields % ("<f8", "(-1, 2)"), bytes(16)))
    put(
        "npy",
        "bad_code_point.npy",
        header(fields % ("<U1", "(2,)"), b"\xff\xff\xff\x7f\x00\xd8\x00\x00"),
    )
    put("npy", "version2_long.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{")
    put("npy", "version3.npy", header(fields % ("<i2", "(2,)"), bytes(4), 3))
    put("npy", "nested.npy", header("(" * 300))
    put("npy", "truncated.npy", npy(np.arange(12.0))[:-5])
    put("npy", "garbage.npy", GARBAGE)
    put("npy", "empty.npy", EMPTY)


def archives():
    rng = np.random.default_rng(0)
    matrix = sp.random(9, 7, 0.3, "csr", random_state=rng)
    square = sp.random(8, 8, 0.3, "csr", random_state=rng)
    for form in ["csr", "csc", "coo"]:
        put("npz", form + ".npz", sparse(square.asformat(form)))
        put("npz", form + "_packed.npz", sparse(matrix.asformat(form), True))
    wide = square.copy()
    put(
        "npz",
        "i64.npz",
        sparse(square, indices=wide.indices.astype("i8"), indptr=wide.indptr.astype("i8")),
    )
    out = io.BytesIO()
    np.savez(out, x=np.arange(6.0).reshape(3, 2))
    put("npz", "savez.npz", out.getvalue())
    put(
        "npz",
        "two_arrays.npz",
        archive([("a.npy", npy(np.arange(3))), ("b.npy", npy(np.array(["x", "y"])))]),
    )
    put("npz", "duplicates.npz", sparse(sp.coo_matrix(([1.0, 2.0], ([0, 0], [1, 1])), (2, 2))))
    nan = square.copy()
    nan.data[0] = np.nan
    put("npz", "nan.npz", sparse(nan))
    put("npz", "1e15_rows.npz", sparse(square, shape=np.array([10**15, 8])))
    put("npz", "4e9_columns.npz", sparse(square.tocoo(), shape=np.array([8, 4 * 10**9])))
    put("npz", "4e9_rows.npz", sparse(square.tocoo(), shape=np.array([4 * 10**9, 8])))
    put("npz", "negative_shape.npz", sparse(square, shape=np.array([-8, 8])))
    put("npz", "pointer_overflow.npz", sparse(square, indptr=np.array([0] + [2**63 - 1] * 8)))
    put("npz", "negative_index.npz", sparse(square, indices=-square.indices))
    put("npz", "no_shape.npz", sparse(square, shape=None))
    put("npz", "bsr.npz", sparse(square, format=np.array(b"bsr")))
    put("npz", "no_entries.npz", sparse(sp.csr_matrix((3, 3))))
    put("npz", "no_rows.npz", sparse(sp.csr_matrix((0, 0))))
    put(
        "npz", "comment.npz", archive([("x.npy", npy(np.eye(2)))], False, b"PK\x05\x06" + b"x" * 40)
    )
    inner = archive([("x.npy", npy(np.eye(2)))], False)
    put("npz", "nested.npz", archive([("x.npy", archive([("x.npy", inner)], False))], False))
    put(
        "npz",
        "odd_names.npz",
        archive([("../x.npy", npy(np.eye(2))), ("", b""), ("a/b/\u00e9.npy", b"x")]),
    )
    put("npz", "no_members.npz", archive([]))
    put("npz", "bomb.npz", archive([("x.npy", npy(np.zeros(1 << 19)))]))
    stored = archive([("x.npy", npy(np.eye(3)))], False)
    at = stored.rindex(b"PK\x01\x02")
    for name, offset, width in [
        ("size", 24, 4),
        ("packed", 20, 4),
        ("offset", 42, 4),
        ("extra", 30, 2),
    ]:
        bad = bytearray(stored)
        bad[at + offset : at + offset + width] = b"\xff" * width
        put("npz", f"claims_{name}.npz", bytes(bad))
    end = stored.rindex(b"PK\x05\x06")
    locator = b"PK\x06\x07" + struct.pack("<IQI", 0, 2**64 - 1, 1)
    put("npz", "zip64_far.npz", stored[:end] + locator + stored[end:])
    record = b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 1, 1, end - at, at)
    locator = b"PK\x06\x07" + struct.pack("<IQI", 0, end, 1)
    put("npz", "zip64.npz", stored[:end] + record + locator + stored[end:])
    put("npz", "truncated.npz", stored[: len(stored) // 2])
    put("npz", "garbage.npz", b"PK\x03\x04" + GARBAGE)
    put("npz", "empty.npz", EMPTY)


def mats():
    network = sp.csc_matrix(np.array([[0, 1, 0], [1, 0, 1.0], [0, 1, 0]]))
    data = {
        "network": network,
        "feature": np.arange(6.0).reshape(3, 2),
        "group": np.array([[1], [2], [1]], "u1"),
    }
    for packed in [False, True]:
        out = io.BytesIO()
        scipy.io.savemat(out, data, do_compression=packed)
        # The first 116 bytes are free text with a date.
        content = b"MATLAB 5.0 MAT-file".ljust(116) + out.getvalue()[116:]
        put("mat", "packed.mat" if packed else "plain.mat", content)
        if not packed:
            plain = content
    out = io.BytesIO()
    odd = {
        "network": network.astype(bool),
        "feature": sp.csc_matrix((3, 4)),
        "group": np.array(["x", "yy"]),
    }
    odd |= {
        "cells": np.array([1, "a"], dtype=object),
        "deep": {"a": {"b": {"c": 1.0}}},
        "z": np.array([[1 + 2j]]),
    }
    scipy.io.savemat(out, odd)
    put("mat", "odd.mat", b"MATLAB 5.0 MAT-file".ljust(116) + out.getvalue()[116:])
    for name, at, value in [
        ("huge_variable", 132, b"\xff\xff\xff\xff"),
        ("huge_rows", 160, b"\xff\xff\xff\x7f\xff\xff\xff\x7f"),
        ("negative_rows", 160, b"\xff\xff\xff\xff"),
        ("v73", 124, b"\x00\x02"),
        ("swapped", 126, b"MI"),
        ("small_element", 128, b"\x0e\x00\x04\x00"),
    ]:
        put("mat", name + ".mat", plain[:at] + value + plain[at + len(value) :])
    head = plain[:128]
    put("mat", "packed_garbage.mat", head + struct.pack("<II", 15, len(GARBAGE)) + GARBAGE)
    nested = plain[128:]
    for _ in range(3):
        body = zlib.compress(nested)
        nested = struct.pack("<II", 15, len(body)) + body
    put("mat", "packed_deep.mat", head + nested)
    put("mat", "truncated.mat", plain[:-40])
    put("mat", "header_only.mat", head)
    put("mat", "v4.mat", struct.pack("<5I", 0, 2, 2, 0, 2) + b"x\0" + bytes(32))
    put("mat", "garbage.mat", GARBAGE)
    put("mat", "empty.mat", EMPTY)


def markets():
    banner = "%%MatrixMarket matrix "
    good = banner + "coordinate real general\n% note\n3 3 3\n1 1 1.5\n3 2 -2\n2 3 1e-3\n"
    put("mtx", "general.mtx", good)
    put("mtx", "symmetric.mtx", banner + "coordinate integer symmetric\n3 3 2\n1 1 1\n3 2 -2\n")
    put("mtx", "skew.mtx", banner + "coordinate real skew-symmetric\n3 3 1\n3 2 -2\n")
    put("mtx", "pattern.mtx", banner + "coordinate pattern general\n4 2 2\n4 1\n1 2\n")
    put("mtx", "array.mtx", banner + "array real general\n2 2\n1\n2\n3\n4\n")
    put("mtx", "array_symmetric.mtx", banner + "array real symmetric\n2 2\n1\n2\n3\n")
    put("mtx", "hermitian.mtx", banner + "coordinate complex hermitian\n1 1 1\n1 1 1 0\n")
    out = io.BytesIO()
    scipy.io.mmwrite(out, sp.random(6, 6, 0.4, random_state=1))
    put("mtx", "scipy.mtx", out.getvalue())
    put("mtx", "crlf.mtx", good.replace("\n", "\r\n"))
    put("mtx", "bom.mtx", "\ufeff" + good)
    put("mtx", "latin1.mtx", good.replace("note", "é").encode("latin-1"))
    put("mtx", "gzip.mtx", squeezed(good))
    put("mtx", "gzip_twice.mtx", squeezed(squeezed(good)))
    put("mtx", "gzip_half.mtx", HALF)
    put("mtx", "gzip_garbage.mtx", b"\x1f\x8b\x08\x00" + GARBAGE)
    huge = "99999999999999999999"
    for name, size in [
        ("entries", f"3 3 {huge}"),
        ("1e15", f"{10**15} {10**15} 1"),
        ("u32", f"{2**32} {2**32} 1"),
    ]:
        put("mtx", f"claims_{name}.mtx", banner + f"coordinate real general\n{size}\n1 1 1\n")
    put("mtx", "claims_array.mtx", banner + "array real general\n4294967296 4294967296\n1\n")
    put("mtx", "claims_empty_array.mtx", banner + f"array real general\n{2**62} 0\n")
    put("mtx", "claims_no_entries.mtx", banner + f"coordinate real general\n{2**31} {2**31} 0\n")
    put("mtx", "zero_index.mtx", banner + "coordinate real general\n2 2 1\n0 1 1\n")
    put("mtx", "nan.mtx", banner + "coordinate real general\n2 2 2\n1 1 nan\n2 2 inf\n")
    put("mtx", "rectangular_symmetric.mtx", banner + "coordinate real symmetric\n3 2 1\n3 2 1\n")
    put("mtx", "fewer.mtx", banner + "coordinate real general\n2 2 5\n1 1 1\n")
    put("mtx", "comments_only.mtx", banner + "coordinate real general\n%\n%\n")
    put("mtx", "garbage.mtx", GARBAGE)
    put("mtx", "empty.mtx", EMPTY)


def texts():
    zstd_garbage = b"\x28\xb5\x2f\xfd" + GARBAGE
    links = '# links\nsource,target,weight\na,b,1\n"b",c,2.5\nc,a,3\nd,"e ""x""",0.5\n'
    numbers = "0 1\n1 2\n2 0\n5 1\n"
    table = (
        "id;age;city;text\na;1;Bonn;some words here\nb;2;Bonn;other words here\n"
        'c;;Ulm;"more;\nwords"\n'
    )
    plain = "a\t0.5\t1\nb\t0.25\t2\nc\t1\t\n"
    content = "p1\t0\t1\tA\np2\t1\t1\tB\np3\t0\t0\tA\n"
    cites = "p1\tp2\np2\tp1\np3\tp1\n"
    labels = "id,label\na,1\nb,2\nc,1\n"
    nodes = "id\na\nb c\nd\n"
    for reader, texts in [
        (
            "edges",
            [
                links,
                numbers,
                "a,b\n",
                "% x\n1|2|0.5\n2|3|1\n",
                "1 2 {'weight': 3}\n",
                "a\tb\tc\td\n",
            ],
        ),
        ("table", [table, plain, "id,x\na,1\n", "1 2 3\n4 5 6\n", 'id,t\na,"\n\n"\nb,NA\nc,\n']),
        (
            "labels",
            [
                labels,
                "1\n2\n-1\n1\n",
                "red\nblue\n\nred\n",
                "class id\nx a\ny b\n",
                "a,1999\nb,2024\nc,x\n",
            ],
        ),
        ("nodes", [nodes, "0\n1\n2\n", '"a ""b"""\nc\n', "id,name\n1,x\n2,y\n"]),
        ("content", [content, "1 0.5 0 x\n2 1 1 y\n", "a\tA\n"]),
        ("cites", [cites, "1 2\n2 3\n", "# c\na\tb\t2\n"]),
    ]:
        for number, text in enumerate(texts):
            put(reader, f"good{number}.txt", text)
        good = texts[0]
        put(reader, "crlf.txt", good.replace("\n", "\r\n"))
        put(reader, "cr.txt", good.replace("\n", "\r"))
        put(reader, "bom.txt", "\ufeff" + good)
        put(reader, "utf16.txt", good.encode("utf-16"))
        put(reader, "latin1.txt", good.replace("a", "é").encode("latin-1"))
        put(reader, "unicode.txt", good.replace("a", "日\u00a0本\u2028語"))
        put(reader, "no_end.txt", good.rstrip("\n"))
        put(reader, "blank_lines.txt", good.replace("\n", "\n \n\t\n\n"))
        put(reader, "duplicates.txt", good * 3)
        put(reader, "open_quote.txt", good + '"never closed\n' * 5)
        put(reader, "nan.txt", good.replace("1", "nan").replace("2", "inf"))
        put(
            reader,
            "huge_numbers.txt",
            good.replace("1", "99999999999999999999").replace("2", "1e999"),
        )
        put(
            reader,
            "tiny_numbers.txt",
            good.replace("1", "-9223372036854775808").replace("2", "1e-400"),
        )
        put(reader, "nul.txt", good.replace("a", "\0"))
        put(reader, "ragged.txt", good + "x\n" + "y,1;2\t3 4,5;6\t7 8\n")
        put(reader, "long_line.txt", good + "w " * 3000 + "\n")
        put(
            reader,
            "many_columns.txt",
            ",".join(map(str, range(700))) + "\n" + ",".join("1" * 700) + "\n",
        )
        put(reader, "separators.txt", ",,,\n;;;\n\t\t\t\n|||\n")
        put(reader, "comments_only.txt", "# a\n% b\n// c\n")
        put(reader, "newline.txt", "\n")
        put(reader, "one_byte.txt", "x")
        put(reader, "gzip.txt", squeezed(good))
        put(reader, "gzip_members.txt", squeezed(good) + squeezed(good))
        put(reader, "gzip_twice.txt", squeezed(squeezed(good)))
        put(reader, "gzip_half.txt", HALF)
        put(reader, "gzip_garbage.txt", b"\x1f\x8b\x08\x00" + GARBAGE)
        put(reader, "gzip_of_garbage.txt", squeezed(GARBAGE))
        put(reader, "gzip_bomb.txt", squeezed(good.encode() + b"\n" * (1 << 21)))
        put(reader, "zstd_garbage.txt", zstd_garbage)
        put(reader, "garbage.txt", GARBAGE)
        put(reader, "empty.txt", EMPTY)


def tensors():
    """Model files that are none; those that are were written by the library."""

    def file(text, data=b""):
        text = text.encode()
        return struct.pack("<Q", len(text)) + text + data

    put(
        "model",
        "no_metadata.gage",
        file('{"factors":{"dtype":"F64","shape":[1,1],"data_offsets":[0,8]}}', bytes(8)),
    )
    put("model", "not_json.gage", file('{"__metadata__":{"gage":"nonsense"}}'))
    put("model", "newer.gage", file('{"__metadata__":{"gage":"{\\"version\\":99}"}}'))
    put("model", "deep.gage", file('{"__metadata__":{"gage":"' + "[" * 2000 + '"}}'))
    put("model", "huge_header.gage", struct.pack("<Q", 2**64 - 1) + b"{}")
    put(
        "model",
        "huge_shape.gage",
        file('{"x":{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,0]}}'),
    )
    # A good model with claims that no byte of the file backs.
    small = (ROOT / "model" / "small.gage").read_bytes()
    length = struct.unpack("<Q", small[:8])[0]
    text, data = small[8 : 8 + length].decode(), small[8 + length :]
    outer = json.loads(text)
    inner = json.loads(outer["__metadata__"]["gage"])

    def changed(name, drop=(), nodes=None, factors=None, **fields):
        new = {key: value for key, value in outer.items() if key not in drop}
        new["__metadata__"] = {
            "gage": json.dumps(inner | fields | ({} if nodes is None else {"nodes": nodes}))
        }
        body = data
        if factors is not None:
            new = {"__metadata__": new["__metadata__"]}
            new["factors"] = {"dtype": "F64", "shape": factors, "data_offsets": [0, 0]}
            new["coefficients"] = {"dtype": "F64", "shape": [0], "data_offsets": [0, 0]}
            body = b""
        put("model", name, file(json.dumps(new), body))

    changed("blind_repeated.gage", info=inner["info"] | {"blind_nodes": [0] * 40})
    changed("rows_without_columns.gage", nodes=2**62, factors=[2**62, 0], tables=None)
    changed("columns_without_rows.gage", nodes=0, factors=[0, 2**62], tables=None)
    changed("columns_without_views.gage", nodes=0, factors=[0, 2**62], tables=None, views=[])
    changed("no_views.gage", views=[])
    put("model", "garbage.gage", GARBAGE)
    put("model", "empty.gage", EMPTY)


for make in [arrays, archives, mats, markets, texts, tensors]:
    make()
