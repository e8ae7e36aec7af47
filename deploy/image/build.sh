#!/usr/bin/env bash
# build.sh BOARD OUT [PACKAGES]: the SD-card image of a table, and the signed bundle that updates
# one. BOARD: pi4 (Debian's own kernel; that one knows no Pi 5), or pc: the same for an emulated
# PC with a card (test/image), which is built and started much faster. OUT: a folder. PACKAGES:
# folder with the two .deb files, default dist/packages. Needs root and what deploy/image/setup.sh
# installs; the signing key in CUTCARD_SIGN_KEY and CUTCARD_SIGN_CERT (PEM), the certificate the
# tables trust in CUTCARD_KEYRING. SNAPSHOT (a Debian mirror of one day) and SOURCE_DATE_EPOCH
# make it come out the same again. CUTCARD_HOUSE: a program that is given the new root's path at
# the end: accounts, SSH keys, time sources, network of a house. CUTCARD_VERSION: what the bundle
# calls itself.
set -euo pipefail
board=${1:?board: pi4, pc} out=${2:?folder for the image}
here=$(dirname "$(readlink -f "$0")")
packages=$(readlink -f "${3:-$here/../../dist/packages}")
: "${CUTCARD_SIGN_KEY:?key that signs the bundle}" "${CUTCARD_SIGN_CERT:?its certificate}"
: "${CUTCARD_KEYRING:?certificate that the tables trust}"
case $board in
pi4) arch=arm64 firmware=raspi-firmware started=/proc/device-tree/chosen/bootloader/partition ;;
pc)
  arch=amd64 firmware=zstd
  started=/sys/firmware/qemu_fw_cfg/by_name/opt/cutcard.partition/raw
  ;;
pi5)
  echo "image: Debian trixie's kernel has no driver for a Pi 5's lines, buses and cable (RP1):" \
    'a table on a Pi 5 is installed by package (docs/INSTALL.md)' >&2
  exit 2
  ;;
*)
  echo "image: no board $board; pi4, pc" >&2
  exit 2
  ;;
esac
bash "$here/setup.sh" $arch
PATH=$PATH:/usr/sbin:/sbin
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH=$epoch
export CUTCARD_VERSION=${CUTCARD_VERSION:-$(date -u -d "@$epoch" +%Y%m%d)}
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror_of() { # mirror_of RELEASE: where this machine's own apt has it from
  apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    awk -v release="$1" '$1 == release && $2 == "main" { print $3; exit }'
}
mirror=${SNAPSHOT:-$(mirror_of "$codename")}
security=${SNAPSHOT_SECURITY:-$(mirror_of "$codename-security")}
for known in "$mirror" "$security"; do
  [ -n "$known" ] || {
    echo 'image: apt names no mirror of Debian and its security updates; run apt-get update once,' \
      'or give SNAPSHOT and SNAPSHOT_SECURITY' >&2
    exit 1
  }
done
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
mkdir -p "$out"
export HERE=$here PACKAGES=$packages BOARD=$board KEYRING=$CUTCARD_KEYRING
# Number of the card's partition table: each partition is known by it, wherever the kernel puts the
# card.
export DISK=cad7ab1e PACKAGE_LIST=$work/packages
# Where the firmware says, in four bytes, which partition it started from.
export STARTED=$started ARCH=$arch
# No initramfs before customize.sh makes the one: by a stand-in for the board it takes minutes.
export INITRD=No
# shellcheck disable=SC2016 # the hooks' $1 is the new root
mmdebstrap --mode=root --quiet --architectures=$arch --variant=minbase \
  --include=systemd-sysv,udev,dbus,kmod,iproute2,systemd-resolved,nano,busybox,zstd,fdisk \
  --include=chrony,nodejs,rauc,rauc-service,i2c-tools,gpiod,e2fsprogs,dosfstools \
  --include=initramfs-tools,linux-image-$arch,$firmware,bash-completion \
  --customize-hook='cp "$PACKAGES"/cutcard_*_"$ARCH".deb "$PACKAGES"/cutcard-appliance_*_all.deb \
    "$1/tmp/" && chroot "$1" sh -c "apt-get -qq -y install /tmp/cutcard*.deb && rm /tmp/*.deb"' \
  --customize-hook='"$HERE/customize.sh" "$1"' \
  trixie "$work/root" "deb $mirror trixie main non-free-firmware" \
  "deb $mirror trixie-updates main non-free-firmware" \
  "deb $security trixie-security main non-free-firmware"
"$here/assemble.sh" "$work/root" "$work/images"
cp "$work/images/cutcard.img" "$out/cutcard-$board.img"
cp "$work/packages" "$out/cutcard-$board.packages"
"$here/bundle.sh" "$board" "$work/images" "$out/cutcard-$board.raucb"
(cd "$out" && sha256sum "cutcard-$board".{img,packages,raucb} >"cutcard-$board.sha256")
ls -l "$out"
