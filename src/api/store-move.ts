import { pathToFileURL } from 'node:url';
import { FurrowError } from '../platform/error.ts';
import { programFile } from '../platform/program.ts';

/** The progress of a store that is being moved. */
export interface MoveProgress {
  readonly table: string;
  readonly rows: number;
}

export interface Moved {
  /** Where the store was and where it is, for people. */
  readonly from: string;
  readonly to: string;
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly hash: string }[];
  /** The files put aside, for people: the store as it was before, and what an unfinished move had left. */
  readonly aside: readonly string[];
}

export interface MoveOrder {
  /** `file`, a URL without a password, or undefined: to where the person's URL says. */
  readonly to: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly told: (progress: MoveProgress) => void;
}

/** The program that moves a store, in a file of its own: no other command has to load it. It works beside no daemon. */
export interface MoveProgram {
  /** Where the farm's store is, for people. */
  where(root: string): Promise<string>;
  move(root: string, order: MoveOrder): Promise<Moved>;
}

/** Loads it. A mistake of the operator comes as one of this program's own: the other has its own class for them. */
export async function moveProgram(): Promise<MoveProgram> {
  const { where, move } = (await import(pathToFileURL(programFile('daemon/move-store')).href)) as MoveProgram;
  return { where: (root) => where(root).catch(again), move: (root, order) => move(root, order).catch(again) };
}

function again(error: Error & { code?: string; hint?: string }): never {
  if (error.name !== 'FurrowError') throw error;
  throw new FurrowError(error.code!, error.message, { hint: error.hint });
}
