#!/usr/bin/env bash
# base.sh ARCH FOLDER
# A bare Debian trixie with systemd, as it comes, for the appliance test: FOLDER/root.img (ext4),
# vmlinuz, initrd.img, about.txt. What `apt install ./cutcard.deb` will ask for lies downloaded in
# the guest's own apt cache, so that the guest needs no network. Needs root (chroot, device nodes).
set -euo pipefail
arch=$1 out=$2
here=$(dirname "$(readlink -f "$0")")
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
# The mirror this machine itself uses: nothing here names one.
mirror=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' \
  'Created-By: Packages' |
  awk -v release="$codename" '$1 == release && $2 == "main" { print $3; exit }')
if [ -z "$mirror" ]; then
  echo "base: apt names no mirror for $codename main; run apt-get update once" >&2
  exit 1
fi
new=$out.new
rm -rf --one-file-system "$new"
mkdir -p "$new"
trap 'rm -rf --one-file-system "$new"' EXIT
native=$(dpkg --print-architecture)
if [ "$arch" != "$native" ] && [ ! -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then
  [ -e /proc/sys/fs/binfmt_misc/register ] ||
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
  update-binfmts --enable qemu-aarch64
fi
root=$new/root
export HERE=$here
# The kernel of the backports: the only stock one with simulated GPIO lines. dpkg does not sync each
# file there: an emulated disk takes minutes for that, and the packages are not what is tried.
mmdebstrap --mode=root --quiet --architectures="$arch" --variant=minbase --format=directory \
  --skip=cleanup/apt \
  --aptopt='APT::Get::AllowUnauthenticated "false"' \
  --aptopt='Acquire::Retries "3"' \
  --include=systemd-sysv,udev,dbus,kmod,procps,iproute2,util-linux,passwd,login,initramfs-tools \
  --include=bash-completion,man-db,sudo \
  --customize-hook='chroot "$1" apt-get -qq update' \
  --customize-hook='DEBIAN_FRONTEND=noninteractive chroot "$1" apt-get -qq -y \
    --no-install-recommends -t trixie-backports install linux-image-'"$arch" \
  --customize-hook='chroot "$1" apt-get -qq -y -o APT::Install-Recommends=true \
    --download-only install nodejs openssl chrony adduser' \
  --customize-hook='cp "$HERE/guest-agent.sh" "$1/usr/local/sbin/guest-agent"' \
  --customize-hook='cp "$HERE/guest-agent.service" "$1/etc/systemd/system/"' \
  --customize-hook='chroot "$1" systemctl enable -q guest-agent.service' \
  --customize-hook='echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/emulated"' \
  --customize-hook='cp "$HERE/guest-apt.conf" "$1/etc/apt/apt.conf.d/90emulated"' \
  --customize-hook='echo man-db man-db/auto-update boolean false |
    chroot "$1" debconf-set-selections' \
  --customize-hook='chroot "$1" useradd -m -s /bin/bash -G sudo tech && \
    echo "tech ALL=(ALL) NOPASSWD: ALL" >"$1/etc/sudoers.d/tech"' \
  --customize-hook='mkdir -p "$1/etc/systemd/system/cutcard.service.d" && cp "$HERE/emulated.conf" \
    "$1/etc/systemd/system/cutcard.service.d/"' \
  --customize-hook='echo bare-table >"$1/etc/hostname"; chroot "$1" passwd -q -d root' \
  --customize-hook='printf "/dev/vda / ext4 errors=remount-ro 0 1\n" >"$1/etc/fstab"' \
  trixie "$root" "deb $mirror trixie main" "deb $mirror trixie-backports main"
cp "$(ls "$root"/boot/vmlinuz-* | sort -V | tail -1)" "$new/vmlinuz"
cp "$(ls "$root"/boot/initrd.img-* | sort -V | tail -1)" "$new/initrd.img"
ls "$root/boot" | sed -n 's/^vmlinuz-/kernel /p' >"$new/about.txt"
chroot "$root" dpkg-query -W systemd udev >>"$new/about.txt"
rm -f "$root"/boot/initrd.img-* "$root"/boot/vmlinuz-*
truncate -s 3G "$new/root.img"
mke2fs -q -t ext4 -d "$root" -L root "$new/root.img"
rm -rf --one-file-system "$root"
rm -rf --one-file-system "$out"
mv "$new" "$out"
trap - EXIT
cat "$out/about.txt"
