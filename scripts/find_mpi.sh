#!/bin/sh
# Looks for an MPI with its compiler and launcher. With GAGE_INSTALL_MPI=yes, and in CI (CI=true),
# root installs Debian's OpenMPI with apt-get if they are not there.
#
#     scripts/find_mpi.sh
#
# Ends with 0 if they are there, with 1 if they cannot be had; says what it does.
there() { command -v mpicc >/dev/null && command -v mpirun >/dev/null; }
get() {
    DEBIAN_FRONTEND=noninteractive apt-get install --quiet --quiet --yes --no-install-recommends \
        -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 libopenmpi-dev openmpi-bin >/dev/null
}

there && exit 0
if [ "$CI" != true ] && [ "$GAGE_INSTALL_MPI" != yes ]; then
    echo "there is no MPI with mpicc and mpirun; root can have Debian's installed with" \
        "GAGE_INSTALL_MPI=yes" >&2
    exit 1
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "there is no MPI, and it can only be installed by root with apt-get" >&2
    exit 1
fi
echo "installing libopenmpi-dev and openmpi-bin"
# The lists of packages may be absent or too old to be of use.
get 2>/dev/null || { apt-get update --quiet --quiet >/dev/null && get; } || {
    echo "apt-get could not install libopenmpi-dev and openmpi-bin" >&2
    exit 1
}
there
