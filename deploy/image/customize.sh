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
mkdir -p "$root/boot/select" "$root/etc/rauc" "$root/etc/cutcard"
# What is mounted from `data` must be there at the very first start, or the start ends there.
chroot "$root" sh -c 'install -d -m 0755 /data /data/log
  install -d -m 0700 /data/rauc /data/ssh
  install -d -m 0750 -o cutcard -g cutcard /data/cutcard
  install -d -m 0750 -o root -g cutcard /data/etc-cutcard'
sed "s/@BOARD@/$BOARD/" "$HERE/rauc-system.conf.in" >"$root/etc/rauc/system.conf"
install -m 0644 "$KEYRING" "$root/etc/rauc/keyring.pem"
chroot "$root" systemctl enable -q slot-health first-boot systemd-networkd systemd-resolved
# DHCP on the cable, known by the cable's own number: the machine's is new at each start, as the
# root is read-only. A house that wants a fixed address puts a file before this one.
printf '[Match]\nName=e*\n[Network]\nDHCP=yes\n[DHCPv4]\nClientIdentifier=mac\n' \
  >"$root/etc/systemd/network/90-cable.network"
echo cutcard-table >"$root/etc/hostname"
# No number of the machine that built it.
: >"$root/etc/machine-id"
# Nobody logs in by password; a house adds its own way.
chroot "$root" passwd -q -l root
# The firmware's own files are made anew from these with each kernel and each initramfs.
# Lines go back to a safe level with their owner; fast I2C; the console is not on the serial line.
# The battery clock sets the time before the network is there (a Pi 5 has its own besides).
cat >"$root/etc/default/raspi-firmware-custom" <<'CONFIG'
[all]
dtparam=i2c_arm=on,i2c_arm_baudrate=400000
dtoverlay=i2c-rtc,ds3231
dtparam=strict_gpiod
dtparam=watchdog=on
CONFIG
for module in squashfs overlay; do echo $module >>"$root/etc/initramfs-tools/modules"; done
chroot "$root" update-initramfs -u
# The root is named by the initramfs (slot), so nothing here may name another one.
echo 'ro rootfstype=squashfs rootwait panic=10 quiet console=tty1' \
  >"$root/boot/firmware/cmdline.txt"
for wanted in strict_gpiod watchdog=on '^kernel=vmlinuz' '^initramfs initrd'; do
  grep -q "$wanted" "$root/boot/firmware/config.txt" || {
    echo "image: the firmware's config.txt has no line $wanted" >&2
    exit 1
  }
done
rm -rf "$root/var/cache/apt/archives" "$root/var/lib/apt/lists" "$root/var/log"/*
