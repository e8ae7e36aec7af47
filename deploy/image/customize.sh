#!/bin/sh
# customize.sh ROOT: what makes a Debian root the system of a table. Run by build.sh.
set -eu
root=$1
at() { install -D -m "$1" "$HERE/$2" "$root/$3"; }
at 0755 boot-slot usr/lib/cutcard/os/boot-slot
at 0755 slot-health usr/lib/cutcard/os/slot-health
at 0755 first-boot usr/lib/cutcard/os/first-boot
at 0644 slot-health.service etc/systemd/system/slot-health.service
at 0644 first-boot.service etc/systemd/system/first-boot.service
at 0644 fstab etc/fstab
at 0755 initramfs-slot etc/initramfs-tools/scripts/local-top/cutcard-slot
mkdir -p "$root/data" "$root/boot/select" "$root/etc/rauc" "$root/etc/cutcard"
sed "s/@BOARD@/$BOARD/" "$HERE/rauc-system.conf.in" >"$root/etc/rauc/system.conf"
install -m 0644 "$KEYRING" "$root/etc/rauc/keyring.pem"
chroot "$root" systemctl enable -q slot-health first-boot systemd-networkd systemd-resolved
# DHCP on the cable; a house that wants a fixed address puts a file before this one.
printf '[Match]\nName=e*\n[Network]\nDHCP=yes\n' >"$root/etc/systemd/network/90-cable.network"
echo cutcard-table >"$root/etc/hostname"
# The number of this machine is its own: made at the first boot, kept on `data`.
: >"$root/etc/machine-id"
# Nobody logs in by password; a house adds its own way.
chroot "$root" passwd -q -l root
# Lines go back to a safe level with their owner; fast I2C; the console is not on the serial line.
cat >>"$root/boot/firmware/config.txt" <<'CONFIG'
[all]
dtparam=i2c_arm=on,i2c_arm_baudrate=400000
dtparam=strict_gpiod
dtparam=watchdog=on
CONFIG
echo 'ro rootfstype=squashfs rootwait panic=10 quiet console=tty1' \
  >"$root/boot/firmware/cmdline.txt"
for module in squashfs overlay; do echo $module >>"$root/etc/initramfs-tools/modules"; done
chroot "$root" update-initramfs -u
rm -rf "$root/var/cache/apt/archives" "$root/var/lib/apt/lists" "$root/var/log"/*
