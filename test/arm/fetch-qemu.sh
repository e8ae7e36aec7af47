#!/usr/bin/env bash
# fetch-qemu.sh FOLDER
# An emulator whose Pi has a working I2C bus (QEMU 10): this machine's own where it is new enough,
# else the one of its backports, unpacked into FOLDER beside the installed one, whose libraries it
# uses. Ends with FOLDER/qemu-system-aarch64.
set -euo pipefail
out=$1
installed=$(qemu-system-aarch64 --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
new=$out.new
rm -rf "$new"
mkdir -p "$new"
if [ "$installed" -ge 10 ]; then
  ln -s "$(command -v qemu-system-aarch64)" "$new/qemu-system-aarch64"
  mv "$new" "$out"
  exit 0
fi
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' \
  'Created-By: Packages' |
  awk -v release="$codename" '$1 == release && $2 == "main" { print $3; exit }')
if [ -z "$mirror" ]; then
  echo "fetch-qemu: apt names no mirror for $codename main; run apt-get update once" >&2
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
apt=$work/apt
mkdir -p "$apt"/{lists/partial,cache/archives/partial,etc/preferences.d} "$work/debs"
: >"$apt/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror \
$codename-backports main" >"$apt/etc/sources.list"
cat >"$apt/apt.conf" <<CONF
APT::Sandbox::User "$(id -un)"; Acquire::Languages "none"; Acquire::Retries "3";
Dir::Etc "$apt/etc"; Dir::Etc::parts "/etc/apt/apt.conf.d";
Dir::State "$apt"; Dir::State::Lists "$apt/lists"; Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
CONF
export APT_CONFIG=$apt/apt.conf
apt-get update -qq
cd "$work/debs"
apt-get download -qq qemu-system-arm
dpkg-deb -x qemu-system-arm*.deb "$work/root"
cp "$work/root/usr/bin/qemu-system-aarch64" "$new/qemu-system-aarch64"
if ! "$new/qemu-system-aarch64" -M help | grep -q raspi3b; then
  echo 'fetch-qemu: the emulator of the backports does not run here' >&2
  exit 1
fi
mv "$new" "$out"
