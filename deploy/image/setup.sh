#!/usr/bin/env bash
# setup.sh ARCH: installs what build.sh works with. Where it may not, it names what is missing and
# fails.
set -euo pipefail
arch=${1:?architecture}
# shellcheck source=deploy/packages.sh
. "$(dirname "$(readlink -f "$0")")/../packages.sh"
needed=(mmdebstrap:mmdebstrap genimage:genimage rauc:rauc squashfs-tools:mksquashfs mtools:mcopy
  dosfstools:mkfs.vfat e2fsprogs:mke2fs device-tree-compiler:dtc)
[ "$(dpkg --print-architecture)" = "$arch" ] ||
  needed+=(qemu-user-static:qemu-aarch64-static binfmt-support:update-binfmts arch-test:arch-test)
ensure image "${needed[@]}"
root_only image 'build an image'
# Another processor's programs run here by an emulator that the kernel starts.
if [ "$(dpkg --print-architecture)" != "$arch" ] && [ "$arch" = arm64 ] &&
  [ ! -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then
  [ -e /proc/sys/fs/binfmt_misc/register ] ||
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
  update-binfmts --enable qemu-aarch64
fi
