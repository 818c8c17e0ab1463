import { changed, done, type Escape, type Need } from './escape.ts';

/** Calls a socket and says hello, by Node: `sh` has no sockets. */
const call = (variable: string) =>
  `"$NODE" -e 'const s=require("net").connect(process.env.${variable},()=>{s.end("hello\\n");s.on("close",()=>process.exit(0))});s.on("error",()=>process.exit(1))'`;

/** Tries to reach processes outside: by signals, by tracing, by their sockets. */
export const PROCESSES: readonly Escape[] = [
  changed('kill a process outside', 'kill -9 "$VICTIM"'),
  changed('stop a process outside', 'kill -STOP "$VICTIM"; kill -TERM -- "-$VICTIM"'),
  done('see a process outside', 'kill -0 "$VICTIM"'),
  done('see a process outside in /proc', 'grep -qs FURROW_VICTIM /proc/[0-9]*/cmdline'),
  changed('write the memory of a process outside', 'echo x > "/proc/$VICTIM/mem"; echo 0 > "/proc/$VICTIM/clear_refs"'),
  done('trace a process outside', 'command -v strace >/dev/null && timeout 1 strace -qq -p "$VICTIM" -o /dev/null; [ $? = 124 ]'),
  done('change the priority of a process outside', 'renice -n 19 -p "$VICTIM"'),
  done('change the limits of a process outside', 'prlimit --pid "$VICTIM" --core=0:0'),
  done('choose a process outside for the kernel to kill', '(echo 1000 > "/proc/$VICTIM/oom_score_adj") 2>/dev/null'),
  changed("call the person's socket", call('PERSON')),
  changed('call the door of another agent', call('OTHER_DOOR')),
  changed('call a terminal server', `${call('TERMINALS')}; tmux -S "$TERMINALS" run-shell "touch $OUT/planted"`),
  changed('call an agent for keys', `${call('KEYS')}; SSH_AUTH_SOCK="$KEYS" ssh-add -l`),
  changed('call a container engine', `${call('CONTAINERS')}; docker -H "unix://$CONTAINERS" ps`),
  changed('call a socket in the home', call('HOME_SOCKET')),
  changed('call a socket by the root of process 1', `S="/proc/1/root$PERSON" ${call('S')}`),
  changed(
    'call the desktop',
    'for s in /run/dbus/system_bus_socket /var/run/dbus/system_bus_socket; do [ -S "$s" ] && touch /planted; done; DBUS_SESSION_BUS_ADDRESS="unix:path=$KEYS" dbus-send --session --print-reply --dest=x / x.y',
  ),
  changed(
    'write into a pipe of furrow',
    'timeout 1 sh -c \'[ -p "$ROOT/.furrow/run/bob.pipe" ] && echo x > "$ROOT/.furrow/run/bob.pipe" && touch "$OUT/planted"\'',
  ),
  changed('replace its own door', 'rm -f "$DOOR"; mv "$DOOR" "$DOOR.old"; rmdir "$(dirname "$DOOR")"; touch "$(dirname "$DOOR")/planted"'),
  done(
    'become another user',
    'setpriv --reuid=12345 --clear-groups true 2>/dev/null && [ "$(id -u)" = 0 ] && su -s /bin/sh daemon -c true',
  ),
];

export const HOST_NETWORK = 'reach the network of the machine';

/** The work of an agent that a fence must allow. */
export const NEEDS: readonly Need[] = [
  { name: 'commit', run: 'echo x >> tracked.txt && git add -A && git commit -q -m work && git log --oneline -1 && git status --short' },
  { name: 'rebase and amend', run: 'git commit -q --amend --no-edit && git rebase -q HEAD~1' },
  { name: 'write in the worktree', run: 'mkdir -p a/b && echo x > a/b/c && rm -r a' },
  { name: 'have a home and temporary files', run: 'touch "$HOME/x" /tmp/x /var/tmp/x "$TMPDIR/x" && [ -n "$(mktemp)" ]' },
  { name: 'know who commits', run: '[ "$(git config user.name)" = Ada ]' },
  { name: 'run tools of the home', run: 'tool' },
  { name: 'run furrow and Node', run: 'command -v furrow && "$NODE" -e 0' },
  { name: 'use devices', run: 'echo x > /dev/null && head -c 1 /dev/urandom >/dev/null && [ -d /dev/shm ]' },
  { name: 'see its own processes', run: '[ -r /proc/self/status ] && kill -0 $$' },
  {
    name: HOST_NETWORK,
    run: '"$NODE" -e \'const s=require("net").connect(Number(process.env.PORT_OUTSIDE),"127.0.0.1",()=>process.exit(0));s.on("error",()=>process.exit(1))\'',
  },
  {
    name: 'call its own door',
    run: '"$NODE" -e \'const s=require("net").connect(process.env.DOOR,()=>process.exit(0));s.on("error",()=>process.exit(1))\'',
  },
  { name: 'read its task', run: 'grep -q "a task" "$PROMPT"' },
  { name: 'keep settings of its own', run: 'touch "$OWN_HOME/x"' },
  { name: 'read settings of tools', run: 'grep -q registry= "$HOME/.npmrc"' },
  { name: 'see the target', run: 'git rev-parse -q --verify refs/heads/main && git log -1 --oneline main' },
  {
    name: 'fetch many objects',
    run: 'r="$TMPDIR/r"; git init -q "$r" && ( cd "$r" && for n in $(seq 120); do echo $n > $n; done && git add . && git commit -qm many ) && git fetch -q "$r" HEAD && git cat-file -e FETCH_HEAD; code=$?; rm -rf "$r"; exit $code',
  },
  { name: 'keep large files', run: '[ ! -d "$GIT/lfs" ] || touch "$GIT/lfs/x"' },
  { name: 'keep a cache', run: 'echo x > "$HOME/.npm/kept"' },
];
