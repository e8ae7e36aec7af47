#!/usr/bin/env bash
# setup.sh ARCH: installs what the image test works with beside what builds an image. Where it may
# not, it names what is missing and fails: a machine that was not tried proves nothing.
set -euo pipefail
deploy=$(dirname "$(readlink -f "$0")")/../../deploy
bash "$deploy/image/setup.sh" "${1:?architecture}"
# shellcheck source=deploy/packages.sh
. "$deploy/packages.sh"
case $1 in
# The emulated PC's own firmware brings no program.
amd64) emulator=(qemu-system-x86:qemu-system-x86_64 seabios:-) ;;
*) emulator=(qemu-system-arm:qemu-system-aarch64) ;;
esac
ensure image "${emulator[@]}" device-tree-compiler:fdtput fdisk:sfdisk openssl:openssl
