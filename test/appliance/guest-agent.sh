#!/bin/bash
# The test's hand in the guest: one command a line (base64) on the virtual port, its exit code and
# output (base64) back. It knows nothing of Cutcard.
port=/dev/virtio-ports/cutcard.test
until [ -e "$port" ]; do sleep 1; done
exec 3<>"$port"
printf 'up %s\n' "$(cut -d' ' -f1 /proc/uptime)" >&3
while IFS= read -r line <&3; do
  output=$(bash -c "$(base64 -d <<<"$line")" </dev/null 2>&1 3>&-)
  code=$?
  printf '%s %s\n' "$code" "$(printf '%s' "$output" | base64 -w0)" >&3
done
