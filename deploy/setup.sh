#!/usr/bin/env bash
# Installs the Debian packages that building and the tests use, where it may: as root, or by sudo
# without a password. Elsewhere it says what is missing and why it matters, and ends 0: the tests
# that need a missing program skip and say so. Safe to run again; quick when all is there.
set -euo pipefail

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
  # A broker lies in sbin, which not every account has on its PATH.
  PATH="$PATH:/usr/sbin:/sbin" command -v "$program" >/dev/null 2>&1 && continue
  missing+=("$package")
  echo "setup: $package is not installed ($why)"
done <<<"$needed"

if [ "${#missing[@]}" -eq 0 ]; then
  echo 'setup: everything is installed'
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! sudo -n true 2>/dev/null; then
    echo "setup: not root and no sudo without a password, so nothing was installed. Install with:"
    echo "  sudo apt-get install --no-install-recommends ${missing[*]}"
    exit 0
  fi
  as_root=(sudo -n)
fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "setup: this system has no apt-get, so nothing was installed. Needed: ${missing[*]}"
  exit 0
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1 </dev/null
}
echo "setup: installing ${missing[*]}"
# The list of packages may be old: refresh it and try again once.
if install || { "${as_root[@]}" apt-get update >"$log" 2>&1 </dev/null && install; }; then
  echo 'setup: installed'
else
  echo 'setup: apt-get could not install them; its last lines:'
  tail -n 5 "$log" | sed 's/^/  /'
  echo "setup: tests that need ${missing[*]} will be skipped and say so"
fi
