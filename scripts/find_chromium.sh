#!/bin/sh
# Looks for Chromium and its driver. With GAGE_INSTALL_CHROMIUM=yes, and in CI (CI=true), root
# installs Debian's with apt-get if they are not there: some 400 MB unpacked, a minute.
#
#     scripts/find_chromium.sh
#
# Ends with 0 if they are there, with 1 if they cannot be had; says what it does.
there() { command -v chromium >/dev/null && command -v chromedriver >/dev/null; }
get() {
    DEBIAN_FRONTEND=noninteractive apt-get install --quiet --quiet --yes --no-install-recommends \
        -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 chromium chromium-driver >/dev/null
}

there && exit 0
if [ "$CI" != true ] && [ "$GAGE_INSTALL_CHROMIUM" != yes ]; then
    echo "there is no Chromium with chromedriver; root can have Debian's installed with" \
        "GAGE_INSTALL_CHROMIUM=yes" >&2
    exit 1
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "there is no Chromium, and chromium-driver can only be installed by root with apt-get" >&2
    exit 1
fi
echo "installing chromium and chromium-driver"
# The lists of packages may be absent or too old to be of use.
get 2>/dev/null || { apt-get update --quiet --quiet >/dev/null && get; } || {
    echo "apt-get could not install chromium and chromium-driver" >&2
    exit 1
}
there
