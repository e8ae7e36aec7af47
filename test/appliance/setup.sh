#!/usr/bin/env bash
# setup.sh ARCH: installs the emulator and what builds a guest, where it may: as root. Elsewhere it
# names what is missing and fails: a machine that was not tried proves nothing.
set -euo pipefail
case ${1:?architecture} in
amd64) needed='qemu-system-x86:qemu-system-x86_64 seabios:- ' ;;
arm64)
  needed='qemu-system-arm:qemu-system-aarch64 qemu-user-static:qemu-aarch64-static
  binfmt-support:update-binfmts arch-test:arch-test
  gcc-aarch64-linux-gnu:aarch64-linux-gnu-gcc g++-aarch64-linux-gnu:aarch64-linux-gnu-g++'
  ;;
*)
  echo "appliance: no architecture $1; amd64 or arm64" >&2
  exit 2
  ;;
esac
needed="$needed qemu-utils:qemu-img mmdebstrap:mmdebstrap e2fsprogs:mke2fs"
missing=()
for pair in $needed; do
  package=${pair%%:*} program=${pair##*:}
  if [ "$program" = - ]; then
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' && continue
  else
    PATH="$PATH:/usr/sbin:/sbin" command -v "$program" >/dev/null 2>&1 && continue
  fi
  missing+=("$package")
done
if [ "$(id -u)" -ne 0 ]; then
  echo 'appliance: only root can make a guest (chroot, device nodes); run it as root' >&2
  [ "${#missing[@]}" -eq 0 ] ||
    echo "  and install: apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi
[ "${#missing[@]}" -gt 0 ] || exit 0
echo "appliance: installing ${missing[*]}"
install() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null </dev/null
}
install || { apt-get update -qq && install; } || {
  echo "appliance: apt-get could not install ${missing[*]}" >&2
  exit 1
}
