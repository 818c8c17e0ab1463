import type { FenceSupport } from '../fence/level.ts';
import { tryFence } from '../fence/try-fence.ts';
import { type Report, runEscapes } from './suite.ts';

/** A fence of this machine put to the test: whether it works at all, and every try to get out of it. */
export type Trial =
  | { readonly support: FenceSupport; readonly tried: { readonly guard: Report; readonly strict: Report } }
  /** There is no fence to try. */
  | { readonly support: Exclude<FenceSupport, { works: true }>; readonly tried: undefined };

/** The one export of this program, which `furrow doctor --sandbox` loads: no other command and no daemon carries the ways out. */
export interface EscapesProgram {
  trial(): Promise<Trial>;
}

export async function trial(): Promise<Trial> {
  const support = await tryFence();
  if (!support.works && /not installed|needs Linux/.test(support.why)) return { support, tried: undefined };
  return { support, tried: { guard: await runEscapes(), strict: await runEscapes({ level: 'strict' }) } };
}
