import { BlockList, isIP } from 'node:net';

/** One line of an allow-list: `registry.npmjs.org`, `*.example.org`, `example.org:8443`, `localhost:5432`. */
interface Rule {
  readonly name: string;
  /** All names below it, but not the name itself. */
  readonly below: boolean;
  readonly port: number | undefined;
}

/** Where a call may go: to a public host, or to one named port of this machine. */
type Verdict = { readonly to: 'world' } | { readonly to: 'here' } | { readonly refused: string };

/** The ports of the web, which a rule without a port means. */
const WEB = [80, 443];

const HERE = 'localhost';

function ruleOf(text: string): Rule {
  const [, star, name = '', port] = /^(\*\.)?([^:]*)(?::(\d+))?$/.exec(text.toLowerCase()) ?? [];
  return { name, below: star !== undefined, port: port === undefined ? undefined : Number(port) };
}

/** Decides whether a host may be called at a port. Only names: no rule can name an address in numbers. */
export function judgeCall(rules: readonly string[], host: string, port: number): Verdict {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (!/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(name) || isIP(name) !== 0 || /(^|\.)(\d+|0x[0-9a-f]*)$/.test(name))
    return { refused: 'it is no name' };
  const named = rules.map(ruleOf).filter((rule) => (rule.below ? name.endsWith(`.${rule.name}`) : name === rule.name));
  if (named.length === 0) return { refused: 'it is not in fence.network' };
  if (!named.some((rule) => (rule.port === undefined ? WEB.includes(port) : rule.port === port)))
    return { refused: `port ${port} of it is not in fence.network` };
  return { to: name === HERE ? 'here' : 'world' };
}

/** Ports of this machine that the rules name; they have the same numbers inside. */
export function portsHere(rules: readonly string[]): number[] {
  const ports = rules.map(ruleOf).flatMap(({ name, port }) => (name === HERE && port !== undefined ? [port] : []));
  return [...new Set(ports)];
}

const RANGES: readonly (readonly [string, number])[] = [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
  ] as const),
  ...([
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
  ] as const),
];

/** Ranges of public IPv6 that carry an IPv4 address. Only the globally assigned part of IPv6, without these, is public. */
const CARRIERS: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
];

/** True for a public address; a foreign name that leads to this machine or its neighbours is refused. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !listOf(RANGES, 'ipv4').check(address, 'ipv4');
  if (isIP(address) !== 6) return false;
  return listOf([['2000::', 3]], 'ipv6').check(address, 'ipv6') && !listOf(CARRIERS, 'ipv6').check(address, 'ipv6');
}

function listOf(ranges: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of ranges) list.addSubnet(net, prefix, family);
  return list;
}
