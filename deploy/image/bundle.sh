#!/bin/sh
# bundle.sh BOARD IMAGES OUT.raucb: packs boot.vfat and root.squashfs of the folder IMAGES into one
# signed bundle. Key and certificate in CUTCARD_SIGN_KEY and CUTCARD_SIGN_CERT.
set -eu
board=$1 images=$2 out=$3
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
mkdir "$work/content"
cp "$images/boot.vfat" "$images/root.squashfs" "$work/content/"
cat >"$work/content/manifest.raucm" <<MANIFEST
[update]
compatible=cutcard-$board
version=${CUTCARD_VERSION:-$(date -u -d "@${SOURCE_DATE_EPOCH:-0}" +%Y%m%d)}
[bundle]
format=verity
[image.boot]
filename=boot.vfat
[image.rootfs]
filename=root.squashfs
MANIFEST
rm -f "$out"
rauc bundle --cert="$CUTCARD_SIGN_CERT" --key="$CUTCARD_SIGN_KEY" "$work/content" "$out"
