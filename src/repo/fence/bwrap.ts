/** A file or folder that is seen inside; at its own path unless `to` says otherwise. */
export interface Mount {
  readonly from: string;
  readonly to?: string;
  readonly write?: true;
}

/** All that is seen inside a fence. Every path is absolute, without links, and there. */
export interface Fence {
  /** Folders of the machine that are empty inside: the home, and where sockets and temporary files are. */
  readonly hidden: readonly string[];
  /** Parts of them that are seen after all: tools, certificates, what furrow.yaml names. */
  readonly opened: readonly Mount[];
  /** furrow's own folders, which are empty inside whatever was opened above them. */
  readonly ours: readonly string[];
  /** All that the command works with, in this order: a later one lies over an earlier one. */
  readonly mounts: readonly Mount[];
  /** Variables that lead to somebody outside: agents for keys, a desktop, a container engine. */
  readonly unset: readonly string[];
  /** `host`: the network of the machine. `none`: an interface of its own that leads nowhere but to itself. */
  readonly network: 'host' | 'none';
  /** The file of a filter of calls to the kernel. */
  readonly filter?: string;
  /** Words in front of the command that run inside: what opens its way to the allowed hosts. */
  readonly entry?: readonly string[];
  readonly cwd: string;
}

/** bwrap dies of TERM, and its jail with it: it sits out what the command is to hear, and the command begins with the usual answers. */
const DEAF = ['env', '--ignore-signal=TERM', '--ignore-signal=INT'];
const DEAF_WITH_FILTER = ['sh', '-c', `trap '' TERM INT; exec "$@" 9< "$0"`];
const HEARING = ['env', '--default-signal=TERM', '--default-signal=INT'];

/** As root bwrap keeps every capability, and `mount -o remount,rw` leads out; without them it does not. */
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

/** Files of the kernel that belong to root by their mode, capabilities or not: `core_pattern` is a program that the kernel runs outside. */
const KERNEL = ['/proc/sys', '/proc/irq', '/proc/bus', '/proc/fs', '/proc/acpi', '/proc/scsi'];

/** The whole machine to be read, with devices, processes and shared memory of its own. */
const MACHINE = [
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
  ...KERNEL.flatMap((folder) => ['--ro-bind-try', folder, folder]),
];

/**
 * argv put in front of a command: bubblewrap. A later argument lies over an earlier one, so the order is part of the promise:
 * first the machine, then what is hidden, then what is shown of it again.
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
    // What was written there would be lost without a word.
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
