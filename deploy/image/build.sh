#!/usr/bin/env bash
# build.sh BOARD OUT [PACKAGES]: the SD-card image of a table, and the signed bundle that updates
# one. BOARD: pi4 or pi5 (Debian's own kernel). OUT: a folder. PACKAGES: folder with the two .deb
# files, default dist/packages. Needs root, mmdebstrap, genimage, rauc, squashfs-tools, mtools,
# dosfstools, qemu-user-static; the signing key in CUTCARD_SIGN_KEY and CUTCARD_SIGN_CERT (PEM),
# the certificate the tables trust in CUTCARD_KEYRING. SNAPSHOT (a Debian mirror of one day) and
# SOURCE_DATE_EPOCH make it come out the same again.
set -euo pipefail
board=${1:?board: pi4 or pi5} out=${2:?folder for the image}
here=$(dirname "$(readlink -f "$0")")
packages=$(readlink -f "${3:-$here/../../dist/packages}")
: "${CUTCARD_SIGN_KEY:?key that signs the bundle}" "${CUTCARD_SIGN_CERT:?its certificate}"
: "${CUTCARD_KEYRING:?certificate that the tables trust}"
case $board in pi4 | pi5) ;; *)
  echo "image: no board $board; pi4 or pi5" >&2
  exit 2
  ;;
esac
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH=$epoch
for program in mmdebstrap genimage rauc mksquashfs mcopy mkfs.vfat; do
  PATH="$PATH:/usr/sbin:/sbin" command -v $program >/dev/null || {
    echo "image: $program is missing" >&2
    exit 1
  }
done
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=${SNAPSHOT:-$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' \
  'Created-By: Packages' |
  awk -v release="$codename" '$1 == release && $2 == "main" { print $3; exit }')}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$work/input"
if [ "$(dpkg --print-architecture)" != arm64 ] &&
  [ ! -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then
  [ -e /proc/sys/fs/binfmt_misc/register ] ||
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
  update-binfmts --enable qemu-aarch64
fi
export HERE=$here PACKAGES=$packages BOARD=$board KEYRING=$CUTCARD_KEYRING
# shellcheck disable=SC2016 # the hooks' $1 is the new root
mmdebstrap --mode=root --quiet --architectures=arm64 --variant=minbase \
  --include=systemd-sysv,systemd-timesyncd-,udev,dbus,kmod,iproute2,systemd-resolved,nano \
  --include=chrony,nodejs,rauc,rauc-service,i2c-tools,gpiod,cloud-guest-utils,e2fsprogs,dosfstools \
  --include=initramfs-tools,linux-image-arm64,raspi-firmware,man-db,bash-completion \
  --customize-hook='cp "$PACKAGES"/cutcard_*_arm64.deb "$PACKAGES"/cutcard-appliance_*_all.deb \
    "$1/tmp/" && chroot "$1" sh -c "apt-get -qq -y install /tmp/cutcard*.deb && rm /tmp/*.deb"' \
  --customize-hook='"$HERE/customize.sh" "$1"' \
  trixie "$work/root" \
  "deb $mirror trixie main non-free-firmware" "deb $mirror trixie-updates main"
sed -e "s/@EPOCH@/$epoch/" -e "s/@STAMP@/$(date -u -d "@$epoch" +%Y%m%d%H%M%S)/" \
  "$here/genimage.cfg.in" >"$work/genimage.cfg"
printf '[all]\ntryboot_a_b=1\nboot_partition=2\n[tryboot]\nboot_partition=3\n' \
  >"$work/input/autoboot.txt"
genimage --config "$work/genimage.cfg" --rootpath "$work/root" --tmppath "$work/tmp" \
  --inputpath "$work/input" --outputpath "$work/images"
cp "$work/images/cutcard.img" "$out/cutcard-$board.img"
"$here/bundle.sh" "$board" "$work/images" "$out/cutcard-$board.raucb"
(cd "$out" && sha256sum "cutcard-$board.img" "cutcard-$board.raucb" >"cutcard-$board.sha256")
ls -l "$out"
