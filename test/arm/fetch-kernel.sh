#!/usr/bin/env bash
# fetch-kernel.sh ARCH FOLDER [MODULE...]
# The newest stock Debian kernel that has gpio-sim, with the modules named, and what a guest needs
# beside it, without touching the apt of this machine. Ends with FOLDER holding
#   vmlinuz  version  mods/*.ko  busybox  dtb/  root/ (libraries; for a foreign ARCH only)
# Only root may install packages, but anybody may fetch: apt works in FOLDER alone.
set -euo pipefail
arch=$1 out=$2
shift 2
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
# The mirror this machine itself uses: nothing here names one.
mirror=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' \
  'Created-By: Packages' |
  awk -v release="$codename" '$1 == release && $2 == "main" { print $3; exit }')
if [ -z "$mirror" ]; then
  echo "fetch-kernel: apt names no mirror for $codename main; run apt-get update once" >&2
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
apt=$work/apt
mkdir -p "$apt"/{lists/partial,cache/archives/partial,etc/preferences.d} "$work/debs" "$work/all"
: >"$apt/status"
for suite in trixie-backports trixie; do
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
done >"$apt/etc/sources.list"
cat >"$apt/apt.conf" <<CONF
APT::Architecture "$arch"; APT::Architectures { "$arch"; };
APT::Sandbox::User "$(id -un)"; Acquire::Languages "none"; Acquire::Retries "3";
Dir::Etc "$apt/etc"; Dir::Etc::parts "/etc/apt/apt.conf.d";
Dir::State "$apt"; Dir::State::Lists "$apt/lists"; Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
CONF
export APT_CONFIG=$apt/apt.conf
apt-get update -qq
# The metapackage names the image of the day.
image=$(apt-cache show -a "linux-image-$arch/trixie-backports" |
  sed -n 's/.*\(linux-image-[0-9][^ ,]*\) (= .*/\1/p' | head -1)
[ -n "$image" ] || image=$(apt-cache depends "linux-image-$arch/trixie-backports" |
  sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -1)
version=${image#linux-image-}
if [ -z "$version" ]; then
  echo "fetch-kernel: trixie-backports has no linux-image-$arch" >&2
  exit 1
fi
libraries=()
[ "$arch" = "$(dpkg --print-architecture)" ] ||
  libraries=(libc6/trixie libstdc++6/trixie libgcc-s1/trixie)
cd "$work/debs"
# A board's device trees lie in the base package.
apt-get download -qq "linux-base-$version" "linux-binary-$version" "linux-modules-$version" \
  busybox-static/trixie "${libraries[@]}"
for deb in linux-*.deb busybox-static*.deb; do dpkg-deb -x "$deb" "$work/all"; done
for deb in lib*.deb; do [ ! -e "$deb" ] || dpkg-deb -x "$deb" "$work/root"; done

kernel=$work/all/usr/lib/modules/$version
new=$out.new
rm -rf "$new"
mkdir -p "$new/mods"
cp "$kernel/vmlinuz" "$new/vmlinuz"
cp "$(find "$work/all" -type f -path "*bin/busybox" | head -1)" "$new/busybox"
for module in "$@"; do
  file=$(find "$kernel" -name "$module.ko*" | head -1)
  case $file in
  '')
    echo "fetch-kernel: the kernel $version has no module $module: the rig needs it" >&2
    exit 1
    ;;
  *.xz) xz -dc "$file" >"$new/mods/$module.ko" ;;
  *) cp "$file" "$new/mods/$module.ko" ;;
  esac
done
[ ! -d "$kernel/dtb/broadcom" ] || cp -r "$kernel/dtb/broadcom" "$new/dtb"
[ ! -d "$work/root" ] || cp -r "$work/root" "$new/root"
echo "$version" >"$new/version"
rm -rf "$out"
mv "$new" "$out"
echo "fetch-kernel: $version"
