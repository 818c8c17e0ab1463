import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readInvitation } from '../hosts/invitation.ts';
import { newSecret } from '../hosts/link/secret.ts';
import { asHostName, isHostName } from '../hosts/state.ts';
import { FurrowError } from '../platform/error.ts';
import { readPrivate, userFolder, writePrivate } from '../platform/user-folder.ts';

const schema = z.strictObject({
  /** The way to the leader. */
  host: z.string(),
  port: z.number(),
  farm: z.string(),
  certificate: z.string(),
  /** This machine's own. The leader has its hash. */
  key: z.string(),
  /** Of the invitation, until the leader has taken the key. */
  token: z.string().optional(),
  name: z.string(),
  /** The person chose the name. */
  named: z.boolean(),
  labels: z.array(z.string()),
  checks: z.number(),
  /** The most agents at a time. Missing in a file of an earlier version. */
  agents: z.number().default(0),
  /** Marks the processes of this host: another one on this machine, or the farm itself, has another. */
  id: z.string(),
});

/** Kept by this machine when it has joined a farm, in the user's own folder. */
export type Membership = z.output<typeof schema>;

export interface JoinOrder {
  readonly url: string | undefined;
  readonly name: string | undefined;
  readonly labels: readonly string[] | undefined;
  readonly checks: number | undefined;
  readonly agents: number | undefined;
}

const FOLDER = 'joined';

/** One for each farm, and one for each name that the person chose. */
export const titleOf = ({ farm, name, named }: Pick<Membership, 'farm' | 'name' | 'named'>): string => (named ? `${farm}-${name}` : farm);

export const keep = (member: Membership): Promise<void> => writePrivate(join(FOLDER, titleOf(member)), `${JSON.stringify(member)}\n`);

async function read(title: string): Promise<Membership | undefined> {
  const text = await readPrivate(join(FOLDER, title));
  return text === undefined ? undefined : schema.parse(JSON.parse(text));
}

/** The membership that a command line means. It is kept before the leader hears of it, so that its key cannot be lost by a kill. */
export async function membershipFor(order: JoinOrder, cores: number): Promise<Membership> {
  const { name, labels, checks, agents } = order;
  if (name !== undefined && !isHostName(name))
    throw new FurrowError('USAGE', `"${name}" is no name of a machine: small letters, digits and dashes`, {
      hint: `--name ${asHostName(name)}`,
    });
  const before = order.url === undefined ? await known(name) : undefined;
  const invited = order.url === undefined ? undefined : readInvitation(order.url);
  const named = before?.named ?? name !== undefined;
  const old = before ?? (invited && (await read(titleOf({ farm: invited.farm, name: name ?? '', named }))));
  const member: Membership = {
    ...(old ?? {
      key: newSecret(),
      id: randomBytes(4).toString('hex'),
      name: name ?? asHostName(hostname()),
      labels: [],
      checks: Math.max(1, Math.floor(cores / 2)),
      agents: 0,
    }),
    ...(invited ?? { host: before!.host, port: before!.port, farm: before!.farm, certificate: before!.certificate }),
    named,
    ...(labels && { labels: labels.map(asLabel) }),
    ...(checks !== undefined && { checks }),
    ...(agents !== undefined && { agents }),
  };
  await keep(member);
  return member;
}

function asLabel(label: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,39}$/i.test(label)) return label;
  throw new FurrowError('USAGE', `"${label}" is no label: letters, digits, dots and dashes`, { hint: '--labels gpu,big' });
}

/** The farm that this machine has joined before; of several the one with this name. */
async function known(name: string | undefined): Promise<Membership> {
  const titles = await readdir(join(userFolder(), FOLDER)).catch(() => []);
  const all = (await Promise.all(titles.map(read))).filter((one) => one !== undefined);
  const meant = all.filter((one) => name === undefined || one.name === name);
  if (meant.length === 1) return meant[0]!;
  if (meant.length === 0)
    throw new FurrowError('NOT_JOINED', `this machine has joined no farm${name === undefined ? '' : ` as ${name}`}`, {
      hint: "furrow host invite, on the machine of a farm, then here: furrow host --join 'URL'",
    });
  const names = [...new Set(meant.map((one) => one.name))];
  throw new FurrowError('USAGE', `this machine has joined ${meant.length} farms`, {
    hint:
      names.length === meant.length
        ? `furrow host --name ${names.join(', or --name ')}`
        : "furrow host --join 'URL', with the invitation of one",
  });
}
