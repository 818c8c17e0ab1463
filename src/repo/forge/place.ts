import type { ForgeKind, ForgePlace } from './forge.ts';

/** The forges that everybody knows, by their host. */
const KNOWN: Readonly<Record<string, ForgeKind>> = { 'github.com': 'github', 'gitlab.com': 'gitlab', 'codeberg.org': 'gitea' };

/** Furrow.yaml may name both for a forge of one's own. */
interface NamedForge {
  readonly kind: ForgeKind | null;
  readonly api: string | null;
}

/** The forge that a remote of git leads to; `undefined`: its kind is not known, or it is no address of a host. */
export function placeOf(remote: string, named: NamedForge = { kind: null, api: null }): ForgePlace | undefined {
  const address = addressOf(remote);
  if (!address) return undefined;
  const { host, project } = address;
  const kind = named.kind ?? KNOWN[host] ?? guessed(host);
  if (!kind) return undefined;
  const api = (named.api ?? usualApi(kind, host)).replace(/\/+$/, '');
  return { kind, host, api, project };
}

/** `https://host/owner/name.git`, `ssh://git@host:22/owner/name`, `git@host:owner/name.git`. A port of ssh is no port of the web. */
function addressOf(remote: string): { host: string; project: string } | undefined {
  const scp = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(remote);
  if (scp) return address(scp[1]!, scp[2]!);
  if (!URL.canParse(remote)) return undefined;
  const { protocol, host, hostname, pathname } = new URL(remote);
  if (!/^(?:https?|ssh|git):$/.test(protocol) || hostname === '') return undefined;
  return address(protocol.startsWith('http') ? host : hostname, pathname);
}

function address(host: string, path: string): { host: string; project: string } | undefined {
  const project = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  return /^[\w.-]+(?:\/[\w.-]+)+$/.test(project) && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(project)
    ? { host: host.toLowerCase(), project }
    : undefined;
}

/** Hosts of one's own mostly have the name of their program in theirs. */
function guessed(host: string): ForgeKind | undefined {
  const [name] = host.split(':');
  if (/(?:^|\.)ghe\.com$|(?:^|[.-])github[.-]/.test(name!)) return 'github';
  if (/(?:^|[.-])gitlab[.-]/.test(name!)) return 'gitlab';
  return /(?:^|[.-])(?:gitea|forgejo)[.-]/.test(name!) ? 'gitea' : undefined;
}

function usualApi(kind: ForgeKind, host: string): string {
  if (kind === 'gitlab') return `https://${host}/api/v4`;
  if (kind === 'gitea') return `https://${host}/api/v1`;
  if (host === 'github.com') return 'https://api.github.com';
  return host.endsWith('.ghe.com') ? `https://api.${host}` : `https://${host}/api/v3`;
}
