#!/usr/bin/env bash
# setup.sh ARCH: installs the emulator and what builds a guest. Where it may not, it names what is
# missing and fails: a machine that was not tried proves nothing.
set -euo pipefail
# shellcheck source=deploy/packages.sh
. "$(dirname "$(readlink -f "$0")")/../../deploy/packages.sh"
case ${1:?architecture} in
amd64) needed=(qemu-system-x86:qemu-system-x86_64 seabios:-) ;;
arm64)
  needed=(qemu-system-arm:qemu-system-aarch64 qemu-user-static:qemu-aarch64-static
    binfmt-support:update-binfmts arch-test:arch-test
    gcc-aarch64-linux-gnu:aarch64-linux-gnu-gcc g++-aarch64-linux-gnu:aarch64-linux-gnu-g++)
  ;;
*)
  echo "appliance: no architecture $1; amd64 or arm64" >&2
  exit 2
  ;;
esac
ensure appliance "${needed[@]}" qemu-utils:qemu-img mmdebstrap:mmdebstrap e2fsprogs:mke2fs
root_only appliance 'make a guest'
