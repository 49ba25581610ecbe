#!/usr/bin/env python3
"""Makes the data set that `gage demo` embeds: a few thousand well-known Debian packages.

    python3 scripts/make_debian_extract.py ../shared/datasets/debian_bookworm
    crates/gage-debian/data/debian

Needs numpy and scipy. The result depends on the input only: no clock, no random numbers.
"""

import io
import json
import pathlib
import re
import sys
import zipfile

import numpy as np
import scipy.sparse as sp

# Sections people recognise, and how many packages to take at most from each.
QUOTA = {
    "admin": 170,
    "database": 80,
    "devel": 190,
    "editors": 90,
    "games": 220,
    "gnome": 120,
    "graphics": 170,
    "httpd": 55,
    "java": 170,
    "javascript": 190,
    "kde": 110,
    "libs": 470,
    "mail": 110,
    "net": 240,
    "perl": 230,
    "python": 330,
    "ruby": 130,
    "science": 190,
    "sound": 190,
    "tex": 60,
    "utils": 190,
    "vcs": 60,
    "video": 110,
    "web": 110,
    "x11": 150,
}

# Packages the demo tells stories about, or that a reader will look for first.
KNOWN = """
firefox-esr chromium thunderbird vim emacs nano neovim gedit nginx apache2 lighttpd postgresql
mariadb-server sqlite3 redis-server python3-numpy python3-scipy python3-pandas python3-matplotlib
python3-sklearn python3-requests python3-django python3-flask gcc g++ clang gdb cmake make git
subversion mercurial gimp inkscape krita blender imagemagick ffmpeg vlc mpv audacity ardour lame
flac wesnoth-1.16 minetest nethack-console supertuxkart 0ad openssh-server openssh-client curl wget
rsync nmap tcpdump samba bind9 mutt postfix exim4 spamassassin dovecot-core libreoffice-writer
libreoffice-calc texlive-latex-base texlive-base gnome-shell nautilus evince plasma-desktop konsole
dolphin kate systemd sudo dpkg apt docker.io xterm xserver-xorg-core i3-wm nodejs npm libjs-jquery
perl ruby rails default-jre openjdk-17-jre maven ant tmux htop gnupg openssl samtools bwa qgis
stellarium libc6 libssl3 libgtk-3-0 libqt5core5a darktable obs-studio kdenlive pulseaudio
""".split()

# Parts of something else: development files, data, debug symbols, translations, versioned
# compilers.
PART = re.compile(
    r"(-dev|-doc|-docs|-dbg|-dbgsym|-data|-common|-l10n|-locales|-examples|-prof|-gles|-cross.*"
    r"|-helper|-abi.*)$"
    r"|^(gcc|g\+\+|cpp|gfortran|gnat|gdc|gobjc|gm2|gccgo|binutils|llvm|clang|libllvm|libclang)"
    r"-?[\d.]+"
    r"|^(gcc|g\+\+|cpp|binutils|gfortran|gnat|gdc|gobjc).*"
    r"-(linux|mips|arm|aarch|hppa|x86|i686|powerpc|riscv|s390|m68k|sh4|sparc|alpha)"
    r"|-(linux-gnu|mingw|w64).*"
)
LEAST_LINKS = 3
LEAST_WORD_USES = 4
LARGEST = 1_000_000


def peel(links, alive, kept):
    """Drops packages with too few links among those left, until none is left to drop; `kept` ones
    need only one.
    """
    while True:
        degree = np.asarray(links[:, alive].sum(axis=1)).ravel()
        least = np.where(kept, 1, LEAST_LINKS)
        drop = alive & (degree < least)
        if not drop.any():
            return alive
        alive = alive & ~drop


def choose(names, sections, class_names, links, indegree, tags):
    """The packages of the extract, as sorted row numbers."""
    known = np.isin(names, KNOWN)
    missing = sorted(set(KNOWN) - set(names))
    assert not missing, f"not in the data: {missing}"
    part = np.array([bool(PART.search(name)) for name in names]) & ~known
    # Used by many, described with care, not a plugin of something: what people tend to know.
    dashes = np.array([name.count("-") for name in names])
    fame = np.log1p(indegree) + 0.4 * np.log1p(tags) - 0.15 * dashes + 100.0 * known
    alive = np.zeros(len(names), bool)
    for section, most in QUOTA.items():
        rows = np.flatnonzero((sections == class_names.index(section)) & ~part)
        order = rows[np.lexsort((rows, -fame[rows]))]
        alive[order[: int(most * 1.12)]] = True
    alive = peel(links, alive, known)
    rows = np.flatnonzero(alive)
    count, component = sp.csgraph.connected_components(links[rows][:, rows], directed=False)
    rows = rows[component == np.bincount(component, minlength=count).argmax()]
    lost = sorted(set(KNOWN) - set(names[rows]))
    assert not lost, f"known packages without links in the extract: {lost}"
    return rows


def save_sparse(path, matrix):
    """As scipy.sparse.save_npz, but with fixed dates in the archive, so that the same input gives
    the same bytes.
    """
    matrix = matrix.tocsr()
    matrix.sort_indices()
    arrays = {
        "indices": matrix.indices.astype(np.int32),
        "indptr": matrix.indptr.astype(np.int32),
        "format": np.array(b"csr"),
        "shape": np.array(matrix.shape, np.int64),
        "data": matrix.data.astype(np.uint8),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.save(buffer, array)
            entry = zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, buffer.getvalue())


def main(source, target):
    meta = json.loads((source / "meta.json").read_text())
    names = np.array((source / "nodes.txt").read_text().splitlines())
    sections = np.load(source / "labels.npy")
    links = sp.load_npz(source / "adj.npz").tocsr()
    words = sp.load_npz(source / "features.npz").tocsr()
    word_names = np.array((source / "attributes.txt").read_text().splitlines())
    tags = np.diff(sp.load_npz(source / "labels.npz").tocsr().indptr)
    indegree = np.bincount(links.indices, minlength=len(names))
    undirected = ((links + links.T) > 0).astype(np.int32).tocsr()
    rows = choose(names, sections, meta["class_names"], undirected, indegree, tags)

    links = links[rows][:, rows]
    links.data[:] = 1
    words = words[rows]
    used = np.bincount(words.indices, minlength=words.shape[1]) >= LEAST_WORD_USES
    words = words[:, used]
    words.data = np.minimum(words.data, 255)
    present = sorted({meta["class_names"][section] for section in sections[rows]})
    labels = np.array([present.index(meta["class_names"][s]) for s in sections[rows]], np.int8)

    target.mkdir(parents=True, exist_ok=True)
    save_sparse(target / "adj.npz", links)
    save_sparse(target / "features.npz", words)
    np.save(target / "labels.npy", labels)
    (target / "nodes.txt").write_text("".join(f"{name}\n" for name in names[rows]))
    (target / "attributes.txt").write_text("".join(f"{word}\n" for word in word_names[used]))
    about = {
        "name": "debian packages",
        "source": meta["source"],
        "label_meaning": "archive section",
        "N": len(rows),
        "nnz": int(links.nnz),
        "d": int(words.shape[1]),
        "xnnz": int(words.nnz),
        "directed": True,
        "class_names": present,
        "class_sizes": np.bincount(labels, minlength=len(present)).tolist(),
    }
    (target / "meta.json").write_text(json.dumps(about, indent=1) + "\n")
    size = sum(path.stat().st_size for path in target.iterdir())
    assert size <= LARGEST, f"{size} bytes is more than {LARGEST}"
    print(
        f"{len(rows)} packages, {links.nnz} links, {words.shape[1]} words, {words.nnz} word uses, "
        f"{size} bytes"
    )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
