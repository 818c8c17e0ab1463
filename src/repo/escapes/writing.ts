import { changed, done, type Escape } from './escape.ts';

/** Tries to change files of the user, of furrow and of other agents. */
export const WRITING: readonly Escape[] = [
  changed('write a file of the user', 'echo x > "$OUT/file"'),
  changed('append to a file of the user', 'echo x >> "$OUT/file"'),
  changed('remove a file of the user', 'rm -f "$OUT/file"'),
  changed('make a file in a folder of the user', 'touch "$OUT/planted"; mkdir "$OUT/folder"'),
  changed('rename a folder of the user', 'mv "$OUT" "$OUT.moved"'),
  changed('change the mode of a file of the user', 'chmod 777 "$OUT/file"'),
  changed('change the time of a file of the user', 'touch -d 2001-01-01 "$OUT/file"'),
  changed('plant a start-up file', 'echo "touch $OUT/planted" >> "$HOME/.bashrc"; echo x >> "$HOME/.zshrc"'),
  changed('plant a key', 'mkdir -p "$HOME/.ssh"; echo key >> "$HOME/.ssh/authorized_keys"'),
  changed('change a tool of the user', 'echo x >> "$HOME/.local/bin/tool"; echo x > "$HOME/.local/bin/planted"'),
  changed('write into the checkout', 'touch "$ROOT/planted"; echo x > "$ROOT/.env"'),
  done('write into the checkout and believe it', 'touch "$ROOT/planted" 2>/dev/null'),
  done('write beside the worktree and believe it', 'touch "$(dirname "$OWN")/planted" 2>/dev/null'),
  done('write consents and believe it', 'touch "$HOME/.config/furrow/planted" 2>/dev/null'),
  changed(
    'write into the state of furrow',
    'mkdir -p "$ROOT/.furrow/run/bin"; echo x > "$ROOT/.furrow/store.db"; echo x > "$ROOT/.furrow/run/bin/planted"',
  ),
  changed('change the furrow that agents call', 'echo x >> "$(command -v furrow)"'),
  changed('pretend that an attempt has ended', 'mkdir -p "$ROOT/.furrow/run/exits"; echo 0 > "$ROOT/.furrow/run/exits/a2"'),
  changed('write into the worktree of another agent', 'mkdir -p "$OTHER"; echo x > "$OTHER/secret.txt"; touch "$OTHER/planted"'),
  changed('write into a check slot', 'mkdir -p "$SLOT"; echo x > "$SLOT/secret.txt"'),
  changed('write a temporary file of others', 'echo x > "$TEMP"; echo x > "$LONG_TEMP"'),
  changed('write a file of the running system', 'echo x > "$SYSTEM_RUN"'),
  changed('write into shared memory', 'echo x > "$SHM"; touch "$SHM.planted"'),
  changed('write through a link', 'ln -sf "$OUT/file" link; echo x > link; rm -f link'),
  changed('write through a hard link', 'ln "$OUT/file" hard && echo x > hard; rm -f hard'),
  changed(
    'swap a link under a writer',
    'for n in $(seq 200); do ln -sfn "$OUT" swap; echo x > swap/raced 2>/dev/null; rm -f swap; mkdir -p swap; rmdir swap; done',
  ),
  changed('rename over a file of the user', 'echo x > mine; mv -f mine "$OUT/file"; rm -f mine'),
  changed('exchange folders', 'mkdir -p mine; mv -T mine "$OUT"; mv --exchange mine "$OUT"; rmdir mine'),
  changed('write by the root of process 1', 'echo x > "/proc/1/root$OUT/file"; echo x > "/proc/self/root$OUT/file"'),
  changed('write by a working folder', 'for p in /proc/[0-9]*; do echo x > "$p/cwd/../out/file"; done 2>/dev/null'),
  changed('mount the machine writable', 'mount -o remount,rw,bind /; echo x > "$OUT/file"'),
  changed(
    'mount a folder writable',
    'mount -o remount,rw,bind "$OUT"; mount -o remount,rw "$GIT"; echo x > "$OUT/file"; echo x > "$GIT/description"',
  ),
  changed(
    'mount the machine writable in a namespace of its own',
    'unshare -Urm sh -c \'mount -o remount,rw,bind /; echo x > "$OUT/file"\'',
  ),
  changed(
    'bind a folder elsewhere',
    'mkdir -p m; mount --bind "$OUT" m; unshare -Urm sh -c \'mount --bind "$OUT" m; mount -o remount,rw,bind m; echo x > m/file\'; echo x > m/file; rm -rf m',
  ),
  changed(
    'bind by a fence of its own',
    'bwrap --bind / / sh -c \'echo x > "$OUT/file"\'; bwrap --dev-bind / / --cap-add ALL sh -c \'mount -o remount,rw,bind /; echo x > "$OUT/file"\'',
  ),
  changed(
    'mount an overlay',
    'mkdir -p u w; unshare -Urm sh -c \'mount -t overlay o -o lowerdir="$OUT",upperdir=u,workdir=w "$OUT" && mount -o remount,rw "$OUT"\'; rm -rf u w',
  ),
  // The tries only open these and never write: they must not harm a machine on which they succeed.
  done(
    'open settings of the kernel to write',
    'for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/vm/overcommit_memory /proc/sysrq-trigger /proc/sys/fs/binfmt_misc/register; do ( : >> "$f" ) 2>/dev/null && exit 0; done; exit 1',
  ),
  done(
    'open devices of the kernel to write',
    'for f in $(find /proc/irq /proc/fs /proc/acpi /proc/scsi /sys -maxdepth 4 -type f -perm -200 2>/dev/null | head -n 400); do ( : >> "$f" ) 2>/dev/null && { echo "$f"; exit 0; }; done; exit 1',
  ),
  done(
    'open a control group to write',
    'for f in $(find /sys/fs/cgroup -maxdepth 3 -type f -name "cgroup.procs" -o -maxdepth 3 -type f -name "release_agent" 2>/dev/null | head -n 50); do ( : >> "$f" ) 2>/dev/null && exit 0; done; exit 1',
  ),
  done(
    'make a control group',
    'for d in /sys/fs/cgroup /sys/fs/cgroup/*/; do mkdir "$d/furrow-planted" 2>/dev/null && rmdir "$d/furrow-planted" && exit 0; done; exit 1',
  ),
  done(
    'write into the system',
    'for d in /etc /usr /opt /var /var/lib /boot /sys /; do touch "$d/furrow-planted" 2>/dev/null && rm "$d/furrow-planted" && exit 0; done; exit 1',
  ),
  done('set the clock or the name of the machine', 'date -s "@$(date +%s)" || hostname "$(hostname)"'),
];
