#!/usr/bin/env bash
# setup.sh ARCH: installs what the image test works with beside what builds an image, where it
# may: as root. Elsewhere it names what is missing and fails: a machine that was not tried proves
# nothing.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
bash "$here/../../deploy/image/setup.sh" "${1:?architecture}"
case $1 in
amd64) emulator=qemu-system-x86:qemu-system-x86_64 ;;
*) emulator=qemu-system-arm:qemu-system-aarch64 ;;
esac
missing=()
for pair in $emulator device-tree-compiler:fdtput fdisk:sfdisk \
  openssl:openssl; do
  PATH="$PATH:/usr/sbin:/sbin" command -v "${pair##*:}" >/dev/null 2>&1 || missing+=("${pair%%:*}")
done
# The emulated PC's own firmware; it brings no program.
[ "$1" != amd64 ] || [ -e /usr/share/seabios/bios-256k.bin ] || missing+=(seabios)
[ "${#missing[@]}" -gt 0 ] || exit 0
echo "image: installing ${missing[*]}"
install() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null </dev/null
}
install || { apt-get update -qq && install; } || {
  echo "image: apt-get could not install ${missing[*]}" >&2
  exit 1
}
