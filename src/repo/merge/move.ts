import { git, type Repo } from '../../platform/git/run.ts';
import type { Checkout } from './checkouts.ts';

/** A move of a checkout's files from one commit to another. Paths are latin1: one character a byte. */
export interface Move extends Checkout {
  readonly from: string;
  readonly to: string;
  readonly changes: readonly Change[];
}

/** One path that a move changes, with its new and its old side; an object of zeros where there is none. */
export interface Change {
  readonly status: string;
  readonly mode: string;
  readonly oid: string;
  readonly old: { readonly mode: string; readonly oid: string };
  readonly path: string;
}

/** The move in each of these checkouts. */
export async function movesOf(repo: Repo, checkouts: readonly Checkout[], from: string, to: string): Promise<Move[]> {
  if (checkouts.length === 0) return [];
  const changes = await changesBetween(repo, from, to);
  return checkouts.map((checkout) => ({ ...checkout, from, to, changes }));
}

async function changesBetween(repo: Repo, from: string, to: string): Promise<Change[]> {
  const fields = (await git(repo, ['diff-tree', '-r', '-z', '--no-renames', from, to], { encoding: 'latin1' })).split('\0');
  const list: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [was = '', mode = '', before = '', oid = '', status = ''] = fields[at]!.split(' ');
    list.push({ status, mode, oid, old: { mode: was.slice(1), oid: before }, path: fields[at + 1]! });
  }
  return list;
}
