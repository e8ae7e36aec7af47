#!/usr/bin/env bash
# setup.sh TIER: installs the emulator and the tools one tier of the rig needs. Where it may not,
# it names what is missing and fails: a rig that does not run proves nothing.
set -euo pipefail
# shellcheck source=deploy/packages.sh
. "$(dirname "$(readlink -f "$0")")/../../deploy/packages.sh"
case ${1:?tier} in
1) needed=(qemu-system-x86:qemu-system-x86_64 seabios:- gcc:cc libc6-dev:-) ;;
2 | 3)
  needed=(qemu-system-arm:qemu-system-aarch64
    gcc-aarch64-linux-gnu:aarch64-linux-gnu-gcc g++-aarch64-linux-gnu:aarch64-linux-gnu-g++)
  ;;
*)
  echo "arm: there is no tier $1; 1, 2 or 3" >&2
  exit 2
  ;;
esac
ensure arm xz-utils:xz "${needed[@]}"
