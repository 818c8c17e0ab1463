import { programFile } from '../../platform/program.ts';

/** The port at which a program inside finds the proxy; nobody else is in that network. */
const PROXY_PORT = 61_080;

const forward = programFile('repo/network/forward/main');

/**
 * Starts the program that carries calls to the proxy, waits until it listens, and becomes the command. It is nobody's child
 * but the fence's: an agent that waits for all its children must not wait for it.
 */
const ENTER = `d=$(mktemp -d) && mkfifo "$d/ready" || exit 126
( "$0" "$1" "$2" "$3" > "$d/ready" 2>/dev/null < /dev/null & )
read -r ready < "$d/ready"; rm -rf "$d"
[ "$ready" = ready ] || { echo 'furrow: the way to the allowed hosts could not be opened' >&2; exit 126; }
shift 3; exec "$@"`;

/** A port inside a fence, and the socket by which it is called from outside; its folder can be written inside. */
export interface Reached {
  readonly port: number;
  readonly socket: string;
}

/** Words in front of a command inside a fence without a network: with them it can call allowed hosts, and ports of this machine that a rule names. */
export function networkEntry(network: { socket: string; ports: readonly number[]; reached?: Reached | undefined }): string[] {
  const { socket, ports, reached } = network;
  const ways = [
    { port: PROXY_PORT, to: null },
    ...ports.map((port) => ({ port, to: `localhost:${port}` })),
    ...(reached ? [{ port: reached.port, from: reached.socket }] : []),
  ];
  return ['sh', '-c', ENTER, process.execPath, forward, socket, JSON.stringify(ways)];
}

/** Variables by which programs find the proxy. What is inside the fence is called without it. */
export function proxyEnvironment(): Record<string, string> {
  const url = `http://127.0.0.1:${PROXY_PORT}`;
  const names = ['http_proxy', 'https_proxy', 'all_proxy'];
  const near = 'localhost,127.0.0.1,::1';
  return {
    ...Object.fromEntries([...names, ...names.map((name) => name.toUpperCase())].map((name) => [name, url])),
    ...{ no_proxy: near, NO_PROXY: near },
    // Node's own fetch asks for no proxy unless it is told to.
    NODE_USE_ENV_PROXY: '1',
  };
}
