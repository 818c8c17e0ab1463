import { programFile } from '../../platform/program.ts';

/** The port of the proxy inside a fence; no other process uses that network. */
const PROXY_PORT = 61_080;

const forward = programFile('repo/network/forward/main');

/**
 * Starts the program that forwards calls to the proxy, waits until it listens, and becomes the command. The program is a child of the
 * fence, not of the command: an agent that waits for all its children must not wait for it.
 */
const ENTER = `d=$(mktemp -d) && mkfifo "$d/ready" || exit 126
( "$0" "$1" "$2" "$3" > "$d/ready" 2>/dev/null < /dev/null & )
read -r ready < "$d/ready"; rm -rf "$d"
[ "$ready" = ready ] || { echo 'furrow: the way to the allowed hosts could not be opened' >&2; exit 126; }
shift 3; exec "$@"`;

/** A port inside a fence, and the socket through which it is called from outside; a command inside can write to its folder. */
export interface Reached {
  readonly port: number;
  readonly socket: string;
}

/**
 * Words in front of a command inside a fence without a network: they let it call allowed hosts, and ports of this machine that a rule
 * names.
 */
export function networkEntry(network: { socket: string; ports: readonly number[]; reached?: Reached | undefined }): string[] {
  const { socket, ports, reached } = network;
  const ways = [
    { port: PROXY_PORT, to: null },
    ...ports.map((port) => ({ port, to: `localhost:${port}` })),
    ...(reached ? [{ port: reached.port, from: reached.socket }] : []),
  ];
  return ['sh', '-c', ENTER, process.execPath, forward, socket, JSON.stringify(ways)];
}

/** Variables that tell programs the proxy. Addresses inside the fence are called directly. */
export function proxyEnvironment(): Record<string, string> {
  const url = `http://127.0.0.1:${PROXY_PORT}`;
  const names = ['http_proxy', 'https_proxy', 'all_proxy'];
  const near = 'localhost,127.0.0.1,::1';
  return {
    ...Object.fromEntries([...names, ...names.map((name) => name.toUpperCase())].map((name) => [name, url])),
    ...{ no_proxy: near, NO_PROXY: near },
    // Node's own fetch uses a proxy only when told to.
    NODE_USE_ENV_PROXY: '1',
  };
}
