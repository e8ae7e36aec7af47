# For the set-up scripts, which source it: what is missing of Debian's packages, and installs it.

# lacks PACKAGE:PROGRAM: the program is not here; where PROGRAM is `-` the package brings none, and
# itself is asked for. A broker or a disk tool lies in sbin, which not every account's PATH has.
lacks() {
  local package=${1%%:*} program=${1##*:}
  if [ "$program" = - ]; then
    ! dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed'
  else
    ! PATH="$PATH:/usr/sbin:/sbin" command -v "$program" >/dev/null 2>&1
  fi
}

# install_packages WHO PACKAGE...: as root, or by sudo without a password. Where it may not, or
# apt-get cannot, it says so under the name WHO and fails.
install_packages() {
  local who=$1 as_root=() log
  shift
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "$who: this system has no apt-get, so nothing was installed. Needed: $*" >&2
    return 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
      echo "$who: not root and no sudo without a password, so nothing was installed." \
        "Install with:" >&2
      echo "  sudo apt-get install --no-install-recommends $*" >&2
      return 1
    fi
    as_root=(sudo -n)
  fi
  log=$(mktemp)
  get() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "$@" >"$log" 2>&1 </dev/null
  }
  echo "$who: installing $*"
  # The list of packages may be old: refresh it and try again once.
  if get install -y --no-install-recommends "$@" ||
    { get update && get install -y --no-install-recommends "$@"; }; then
    rm -f "$log"
    echo "$who: installed"
    return 0
  fi
  echo "$who: apt-get could not install them; its last lines:" >&2
  tail -n 5 "$log" | sed 's/^/  /' >&2
  rm -f "$log"
  return 1
}

# ensure WHO PACKAGE:PROGRAM...: installs what is lacking of them.
ensure() {
  local who=$1 missing=() pair
  shift
  for pair in "$@"; do
    if lacks "$pair"; then missing+=("${pair%%:*}"); fi
  done
  [ "${#missing[@]}" -eq 0 ] || install_packages "$who" "${missing[@]}"
}

# root_only WHO WHAT: WHAT takes chroot and device nodes, which sudo for single commands is not.
root_only() {
  [ "$(id -u)" -eq 0 ] || {
    echo "$1: only root can $2 (chroot, device nodes); run it as root" >&2
    return 1
  }
}
