#!/bin/sh
# Looks for a PyTorch in Debian's Python. With GAGE_INSTALL_TORCH=yes, and in CI (CI=true), root
# installs it with apt-get if it is not there: some 170 packages, 200 MB, two minutes.
#
#     scripts/find_torch.sh /usr/bin/python3
#
# Ends with 0 if it is there, with 1 if it is not; says what it does.
python=$1
there() { "$python" -c 'import torch, venv, ensurepip' 2>/dev/null; }
get() {
    DEBIAN_FRONTEND=noninteractive apt-get install --quiet --quiet --yes --no-install-recommends \
        -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 python3-torch python3-venv >/dev/null
}

there && exit 0
if [ "$CI" != true ] && [ "$GAGE_INSTALL_TORCH" != yes ]; then
    echo "$python has no PyTorch; root can have python3-torch and what it needs installed with" \
        "GAGE_INSTALL_TORCH=yes" >&2
    exit 1
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "$python has no PyTorch, and python3-torch can only be installed by root with apt-get" >&2
    exit 1
fi
echo "installing python3-torch (CPU only)"
# The lists of packages may be absent or too old to be of use.
get 2>/dev/null || { apt-get update --quiet --quiet >/dev/null && get; } || {
    echo "apt-get could not install python3-torch" >&2
    exit 1
}
there || {
    echo "python3-torch is installed, but $python cannot import torch and make environments" >&2
    exit 1
}
