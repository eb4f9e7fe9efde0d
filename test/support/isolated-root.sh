#!/bin/bash
# Runs a command as a user in a root file system of its own, read-only, as a container does: <user> <root> <volume> <command...>
# The volume is a folder for /data, or "none". Needs root, and a mount namespace: unshare --mount.
set -e
user=$1 root=$2 volume=$3
shift 3
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
[ "$volume" = none ] || mount --bind "$volume" "$root/data"
mount -o remount,ro,bind "$root"
exec chroot --userspec="$user:$user" "$root" "$@"
