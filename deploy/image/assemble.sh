#!/usr/bin/env bash
# assemble.sh ROOT IMAGES: the partitions of a finished root, and the card of them, in the new
# folder IMAGES. The same root gives the same bytes: SOURCE_DATE_EPOCH is the time of all that is
# in it, orders and numbers are fixed. Run by build.sh.
set -euo pipefail
root=${1:?root} images=${2:?folder for the images}
here=$(dirname "$(readlink -f "$0")")
: "${SOURCE_DATE_EPOCH:?time of the image}" "${DISK:?number of the partition table}"
export TZ=UTC LC_ALL=C PATH=$PATH:/usr/sbin:/sbin
readonly BOOT_KIB=$((256 * 1024)) SELECT_KIB=$((16 * 1024)) DATA_SIZE=512M
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
mkdir -p "$work/select" "$images"

fat() { # fat FOLDER IMAGE KIB LABEL NUMBER: a FAT of a folder, files in the order of their names
  local folder=$1 image=$2 name
  find "$folder" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  mkfs.vfat --invariant -i "$5" -n "$4" -C "$image" "$3" >/dev/null
  (cd "$folder" && find . -mindepth 1 | sort) | while IFS= read -r name; do
    if [ -d "$folder/$name" ]; then
      mmd -i "$image" "::/${name#./}"
    else
      mcopy -m -i "$image" "$folder/$name" "::/${name#./}"
    fi
  done
}
printf '[all]\ntryboot_a_b=1\nboot_partition=2\n[tryboot]\nboot_partition=3\n' \
  >"$work/select/autoboot.txt"
fat "$work/select" "$images/select.vfat" $SELECT_KIB SELECT cad70001
fat "$root/boot/firmware" "$images/boot.vfat" $BOOT_KIB BOOT cad70002

# mksquashfs takes the time from the environment or from its options, not from both.
env -u SOURCE_DATE_EPOCH mksquashfs "$root" "$images/root.squashfs" -quiet -no-progress -noappend \
  -comp zstd -Xcompression-level 9 -mkfs-time "$SOURCE_DATE_EPOCH" \
  -all-time "$SOURCE_DATE_EPOCH" -wildcards \
  -e 'boot/firmware/*' 'data/*' 'proc/*' 'sys/*' 'dev/*' 'run/*' 'tmp/*'

# The numbers that mke2fs would draw, and the times that no program can give to a file.
data=$images/data.ext4
export E2FSPROGS_FAKE_TIME=$SOURCE_DATE_EPOCH
find "$root/data" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
mke2fs -q -t ext4 -L data -U cad7ab1e-0000-4000-8000-000000000007 \
  -E lazy_itable_init=0,lazy_journal_init=0,hash_seed=cad7ab1e-0000-4000-8000-000000000008 \
  -d "$root/data" "$data" $DATA_SIZE
(cd "$root/data" && find . -mindepth 1 | sort) | while IFS= read -r name; do
  for field in ctime atime crtime; do
    echo "set_inode_field /${name#./} $field @$SOURCE_DATE_EPOCH"
    [ $field = crtime ] || echo "set_inode_field /${name#./} ${field}_extra 0"
  done
done >"$work/times"
echo "set_inode_field / ctime @$SOURCE_DATE_EPOCH" >>"$work/times"
debugfs -w -f "$work/times" "$data" >/dev/null 2>"$work/said"
grep -v '^debugfs 1' "$work/said" >&2 || true

sed "s/@DISK@/$DISK/" "$here/genimage.cfg.in" >"$work/genimage.cfg"
mkdir "$work/empty"
genimage --config "$work/genimage.cfg" --rootpath "$work/empty" --tmppath "$work/tmp" \
  --inputpath "$images" --outputpath "$images"
