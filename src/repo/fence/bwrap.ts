/** A file or folder that the fence shows; at its own path unless `to` names another. */
export interface Mount {
  readonly from: string;
  readonly to?: string;
  readonly write?: true;
}

/** Everything that the fence shows. Every path is absolute, without links, and exists. */
export interface Fence {
  /** Folders of the machine that are empty inside: the home, and the folders of sockets and temporary files. */
  readonly hidden: readonly string[];
  /** Parts of those that are shown again: tools, certificates, and what furrow.yaml names. */
  readonly opened: readonly Mount[];
  /** furrow's own folders. They are empty inside, whatever is shown above them. */
  readonly ours: readonly string[];
  /** The files that the command works with, in this order: a later mount covers an earlier one. */
  readonly mounts: readonly Mount[];
  /** Variables that lead to a process outside: key agents, a desktop, a container engine. */
  readonly unset: readonly string[];
  /** `host`: the network of the machine. `none`: an interface that reaches only itself. */
  readonly network: 'host' | 'none';
  /** The file with the filter of system calls. */
  readonly filter?: string;
  /** Words in front of the command that run inside: they open the way to the allowed hosts. */
  readonly entry?: readonly string[];
  readonly cwd: string;
}

/**
 * TERM would kill bwrap, and its jail with it. So bwrap ignores the signals that are meant for the command, and the command starts with the
 * default handlers.
 */
const DEAF = ['env', '--ignore-signal=TERM', '--ignore-signal=INT'];
const DEAF_WITH_FILTER = ['sh', '-c', `trap '' TERM INT; exec "$@" 9< "$0"`];
const HEARING = ['env', '--default-signal=TERM', '--default-signal=INT'];

/** As root, bwrap keeps every capability, and `mount -o remount,rw` breaks out; without capabilities it cannot. */
const NAMESPACES = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--cap-drop',
  'ALL',
  '--die-with-parent',
];

/**
 * Kernel files that root may write by their mode, even without capabilities: `core_pattern` names a program that the kernel runs outside.
 */
const KERNEL = ['/proc/sys', '/proc/irq', '/proc/bus', '/proc/fs', '/proc/acpi', '/proc/scsi'];

/** The whole machine read-only, with devices, processes and shared memory of its own. */
const MACHINE = [
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
  ...KERNEL.flatMap((folder) => ['--ro-bind-try', folder, folder]),
];

/**
 * The argv of bubblewrap in front of a command. A later argument covers an earlier one, so the order matters: first the machine, then what
 * is hidden, then what is shown of it again.
 */
export function fenceArguments(fence: Fence): string[] {
  return [
    ...(fence.filter ? [...DEAF_WITH_FILTER, fence.filter] : DEAF),
    'bwrap',
    ...NAMESPACES,
    ...(fence.filter ? ['--seccomp', '9'] : []),
    ...(fence.network === 'none' ? ['--unshare-net'] : []),
    ...MACHINE,
    ...fence.hidden.flatMap(empty),
    ...fence.opened.flatMap(mount),
    ...fence.ours.flatMap(empty),
    ...fence.mounts.flatMap(mount),
    // Without this, files written there would be lost silently.
    ...fence.ours.flatMap((folder) => ['--remount-ro', folder]),
    ...fence.unset.flatMap((name) => ['--unsetenv', name]),
    ...['--chdir', fence.cwd],
    '--',
    ...HEARING,
    ...(fence.entry ?? []),
  ];
}

const empty = (folder: string) => ['--tmpfs', folder];

const mount = ({ from, to = from, write }: Mount) => [write ? '--bind' : '--ro-bind', from, to];
