#!/bin/sh
# customize.sh ROOT: what makes a Debian root the system of a table. Run by build.sh.
set -eu
root=$1
at() { # at MODE FILE PLACE: with the card's own number and the board filled in
  mkdir -p "$(dirname "$root/$3")"
  sed -e "s/@DISK@/$DISK/g" -e "s#@STARTED@#$STARTED#g" -e "s/@BOARD@/$BOARD/g" \
    "$HERE/$2" >"$root/$3"
  chmod "$1" "$root/$3"
}
at 0755 boot-slot usr/lib/cutcard/os/boot-slot
at 0755 slot-health usr/lib/cutcard/os/slot-health
at 0755 first-boot usr/lib/cutcard/os/first-boot
at 0644 slot-health.service etc/systemd/system/slot-health.service
at 0644 first-boot.service etc/systemd/system/first-boot.service
at 0644 fstab etc/fstab
at 0755 initramfs-slot etc/initramfs-tools/scripts/local-top/cutcard-slot
at 0644 rauc-system.conf.in etc/rauc/system.conf
mkdir -p "$root/boot/select" "$root/etc/cutcard"
# What is mounted from `data` must be there at the very first start, or the start ends there.
chroot "$root" sh -c 'install -d -m 0755 /data
  install -d -m 0700 /data/rauc /data/ssh
  install -d -m 0750 -o _chrony -g _chrony /data/chrony
  install -d -m 0750 -o cutcard -g cutcard /data/cutcard
  install -d -m 0750 -o root -g cutcard /data/etc-cutcard'
install -m 0644 "$KEYRING" "$root/etc/rauc/keyring.pem"
chroot "$root" systemctl enable -q slot-health first-boot systemd-networkd systemd-resolved
# Jobs of a system that changes itself: this one is replaced whole.
chroot "$root" systemctl mask -q apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer \
  fstrim.timer
# DHCP on the cable, known by the cable's own number: the machine's is new at each start, as the
# root is read-only. A house that wants a fixed address puts a file before this one.
printf '[Match]\nName=e*\n[Network]\nDHCP=yes\n[DHCPv4]\nClientIdentifier=mac\n' \
  >"$root/etc/systemd/network/90-cable.network"
# The table asks the house's name servers, and nobody else in the room.
mkdir -p "$root/etc/systemd/resolved.conf.d"
printf '[Resolve]\nLLMNR=no\nMulticastDNS=no\n' >"$root/etc/systemd/resolved.conf.d/cutcard.conf"
echo cutcard-table >"$root/etc/hostname"
printf '127.0.0.1 localhost cutcard-table\n::1 localhost\n' >"$root/etc/hosts"
# Which image this is, as systemd and RAUC's bundles name it.
printf 'IMAGE_ID=cutcard-%s\nIMAGE_VERSION=%s\n' "$BOARD" "$CUTCARD_VERSION" \
  >>"$root/usr/lib/os-release"
# Nobody logs in by password; a house adds its own way.
chroot "$root" passwd -q -l root
if [ "$BOARD" = pi4 ]; then
  # The firmware's config.txt is made anew with each initramfs, and takes this file in. Debian's
  # device trees know none of Raspberry Pi's dtparam lines: what a table needs is an overlay.
  printf '[all]\ndtoverlay=cutcard\n' >"$root/etc/default/raspi-firmware-custom"
  dtc -@ -q -I dts -O dtb -o "$root/boot/firmware/overlays/cutcard.dtbo" "$HERE/cutcard.dts"
fi
for module in squashfs vfat nls_cp437 nls_ascii qemu_fw_cfg; do
  echo $module >>"$root/etc/initramfs-tools/modules"
done
if [ "$BOARD" = pc ]; then
  # One machine that is known; a Pi's drivers are left to Debian's own choice.
  printf 'MODULES=list\n' >"$root/etc/initramfs-tools/conf.d/cutcard"
  printf '%s\n' sdhci_pci mmc_block >>"$root/etc/initramfs-tools/modules"
fi
# What belongs to one house: accounts, keys, time sources, network.
[ -z "${CUTCARD_HOUSE:-}" ] || "$CUTCARD_HOUSE" "$root"
chroot "$root" env -u INITRD update-initramfs -c -k all
mkdir -p "$root/boot/firmware"
# The root is named by the initramfs (slot), so nothing here may name another one. A line goes back
# to an input when its owner ends, whatever the kernel's makers choose next.
echo 'ro rootfstype=squashfs rootwait panic=10 quiet console=tty1' \
  'pinctrl_bcm2835.persist_gpio_outputs=N' >"$root/boot/firmware/cmdline.txt"
if [ "$BOARD" = pc ]; then
  # Its firmware is the test's, and reads what the Pi's reads.
  cp "$root"/boot/vmlinuz-* "$root"/boot/initrd.img-* "$root/boot/firmware/"
  (cd "$root/boot" && printf '[all]\ndtoverlay=cutcard\nkernel=%s\ninitramfs %s\n' \
    vmlinuz-* initrd.img-*) >"$root/boot/firmware/config.txt"
fi
for wanted in '^dtoverlay=cutcard$' '^kernel=vmlinuz' '^initramfs initrd'; do
  grep -q "$wanted" "$root/boot/firmware/config.txt" || {
    echo "image: the firmware's config.txt has no line $wanted" >&2
    exit 1
  }
done
chroot "$root" dpkg-query -W >"$PACKAGE_LIST"
# The firmware starts the kernel and the initramfs of its own partition: a second copy is only size.
rm -rf "$root"/boot/initrd.img-* "$root"/boot/vmlinuz-* "$root"/initrd.img* "$root"/vmlinuz*
# A read-only system installs nothing, and nothing of the machine that built it is in it.
rm -rf "$root/var/cache/apt" "$root/var/lib/apt/lists" "$root/var/log" "$root/var/cache/ldconfig" \
  "$root/var/cache/debconf" "$root"/etc/apt/sources.list* "$root"/var/lib/dpkg/*-old
mkdir -p "$root/var/log" "$root/var/cache/debconf" "$root/var/cache/apt/archives/partial"
: >"$root/etc/machine-id"
# The code that this machine's stand-in for the board compiled is not the board's (and not the same
# twice): the program compiles itself at each start.
rm -rf "$root"/usr/lib/cutcard/dist/bundle/*.cache
