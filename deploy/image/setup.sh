#!/usr/bin/env bash
# setup.sh ARCH: installs what build.sh works with, where it may: as root. Elsewhere it names what
# is missing and fails.
set -euo pipefail
arch=${1:?architecture}
needed='mmdebstrap:mmdebstrap genimage:genimage rauc:rauc squashfs-tools:mksquashfs mtools:mcopy
  dosfstools:mkfs.vfat e2fsprogs:mke2fs device-tree-compiler:dtc'
[ "$(dpkg --print-architecture)" = "$arch" ] ||
  needed="$needed qemu-user-static:qemu-aarch64-static binfmt-support:update-binfmts
    arch-test:arch-test"
missing=()
for pair in $needed; do
  PATH="$PATH:/usr/sbin:/sbin" command -v "${pair##*:}" >/dev/null 2>&1 || missing+=("${pair%%:*}")
done
if [ "$(id -u)" -ne 0 ]; then
  echo 'image: only root can build an image (chroot, device nodes); run it as root' >&2
  [ "${#missing[@]}" -eq 0 ] ||
    echo "  and install: apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi
install() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null </dev/null
}
if [ "${#missing[@]}" -gt 0 ]; then
  echo "image: installing ${missing[*]}"
  install || { apt-get update -qq && install; } || {
    echo "image: apt-get could not install ${missing[*]}" >&2
    exit 1
  }
fi
# Another processor's programs run here by an emulator that the kernel starts.
if [ "$(dpkg --print-architecture)" != "$arch" ] && [ "$arch" = arm64 ] &&
  [ ! -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then
  [ -e /proc/sys/fs/binfmt_misc/register ] ||
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
  update-binfmts --enable qemu-aarch64
fi
