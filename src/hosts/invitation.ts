import { FurrowError } from '../platform/error.ts';

/** The way to a leader: where it listens, for which farm, and the certificate by which it is known. */
export interface LeaderAddress {
  readonly host: string;
  readonly port: number;
  /** The id of the farm. */
  readonly farm: string;
  /** sha256 of the leader's certificate, in hex. No authority signs it: this is how a host knows that it speaks to the leader. */
  readonly certificate: string;
}

/** An invitation as a URL carries it. */
export interface Invitation extends LeaderAddress {
  /** Used once. It stands behind the `#`, like the certificate, so that nothing on the way sees it. */
  readonly token: string;
}

const HINT = 'furrow host invite, on the machine of the farm, prints a whole one';
const wrong = (why: string) => new FurrowError('USAGE', `this is no invitation of a farm: ${why}`, { hint: HINT });

export function printInvitation({ host, port, farm, token, certificate }: Invitation): string {
  return `furrow://${host.includes(':') ? `[${host}]` : host}:${port}/${farm}#${token}.${certificate}`;
}

export function readInvitation(text: string): Invitation {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url?.protocol !== 'furrow:') throw wrong('it does not begin with furrow://');
  const port = Number(url.port);
  if (url.hostname === '' || !(port > 0)) throw wrong('it names no host and port');
  const farm = /^\/([0-9a-f]{8})$/.exec(url.pathname)?.[1];
  const [, token, certificate] = /^#([0-9a-f]{64})\.([0-9a-f]{64})$/.exec(url.hash) ?? [];
  if (farm === undefined || token === undefined || certificate === undefined) throw wrong('its end is missing; quote it in the shell');
  return { host: url.hostname.replaceAll(/^\[|\]$/g, ''), port, farm, token, certificate };
}
