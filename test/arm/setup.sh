#!/usr/bin/env bash
# setup.sh TIER: installs the emulator and the tools one tier of the rig needs, where it may: as
# root, or by sudo without a password. Elsewhere it names what is missing and fails: a rig that
# does not run proves nothing.
set -euo pipefail
case ${1:?tier} in
1) needed='qemu-system-x86:qemu-system-x86_64 seabios:- xz-utils:xz gcc:cc libc6-dev:-' ;;
2) needed='qemu-system-arm:qemu-system-aarch64 xz-utils:xz
  gcc-aarch64-linux-gnu:aarch64-linux-gnu-gcc g++-aarch64-linux-gnu:aarch64-linux-gnu-g++' ;;
3) needed='qemu-system-arm:qemu-system-aarch64 xz-utils:xz
  gcc-aarch64-linux-gnu:aarch64-linux-gnu-gcc g++-aarch64-linux-gnu:aarch64-linux-gnu-g++' ;;
*)
  echo "arm: there is no tier $1; 1, 2 or 3" >&2
  exit 2
  ;;
esac
missing=()
for pair in $needed; do
  package=${pair%%:*} program=${pair##*:}
  if [ "$program" = - ]; then
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' && continue
  else
    command -v "$program" >/dev/null 2>&1 && continue
  fi
  missing+=("$package")
done
[ "${#missing[@]}" -gt 0 ] || exit 0
echo "arm: installing ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! sudo -n true 2>/dev/null; then
    echo "arm: not root, so nothing was installed. Missing; install them with:" >&2
    echo "  sudo apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo -n)
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1 </dev/null
}
if ! install && ! { "${as_root[@]}" apt-get update >"$log" 2>&1 </dev/null && install; }; then
  echo 'arm: apt-get could not install them; its last lines:' >&2
  tail -n 5 "$log" | sed 's/^/  /' >&2
  exit 1
fi
