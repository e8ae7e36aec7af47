#!/usr/bin/env bash
# Installs the Debian packages that building and the tests use, where it may: as root, or by sudo
# without a password. Elsewhere it says what is missing and why it matters, and ends 0: the tests
# that need a missing program skip and say so. Safe to run again; quick when all is there.
set -euo pipefail
# shellcheck source=deploy/packages.sh
. "$(dirname "$(readlink -f "$0")")/packages.sh"

# package  program it brings  what for
needed=$(
  cat <<'PACKAGES'
python3            python3         building native modules (node-gyp)
make               make            building native modules
g++                g++             building native modules
git                git             the tidy test lists the tree with it
openssl            openssl         test certificates
mosquitto          mosquitto       a real broker to test against
mosquitto-clients  mosquitto_sub   reading what reached the broker
socat              socat           a serial line for the bench
chromium           chromium        the browser tests of the pages
iproute2           ip              cutting a network in tests
postgresql         pg_ctlcluster   the floor's store on PostgreSQL
e2fsprogs          mkfs.ext4       a disk that tests may break
mount              losetup         the same
bsdutils           script          a terminal for a password that is typed
rauc               rauc            signed updates of the image
squashfs-tools     mksquashfs      the same
PACKAGES
)

missing=()
while read -r package program why; do
  [ -n "$package" ] || continue
  lacks "$package:$program" || continue
  missing+=("$package")
  echo "setup: $package is not installed ($why)"
done <<<"$needed"

if [ "${#missing[@]}" -eq 0 ]; then
  echo 'setup: everything is installed'
elif ! install_packages setup "${missing[@]}" 2>&1; then
  echo "setup: tests that need ${missing[*]} will be skipped and say so"
fi
