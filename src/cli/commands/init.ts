import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { assertNoBranchFile } from '../../platform/git/branch-in-way.ts';
import { findBoard } from '../../task/board.ts';
import { initBoard } from '../../task/init-board.ts';
import type { Context } from '../command.ts';
import { agentsOnPath, firstConfig, guessCheck } from '../guess.ts';
import { isTerminal, stdout } from '../out.ts';

/** Writes what is missing and says so, file by file; what exists stays as it is. */
export async function init(context: Context): Promise<number> {
  const { root, gitDir } = context.place();
  assertNoBranchFile(gitDir);
  const config = join(root, 'furrow.yaml');
  const found = await findBoard(root);
  const board = found ? relative(root, found.dir) : 'board';
  const check = guessCheck((name) => readIn(root, name));
  const agents = agentsOnPath(process.env['PATH'] ?? '');
  const missing = [...(existsSync(config) ? [] : ['furrow.yaml']), ...(found ? [] : [`${board}/`])];
  if (missing.length > 0 && !(await agreed(context, missing))) {
    context.print('nothing was written');
    return 1;
  }
  if (!found) await initBoard(join(root, board), basename(root));
  if (missing.includes('furrow.yaml')) await writeFile(config, firstConfig({ board, check, agents }), { flag: 'wx' });
  context.document({ wrote: missing, board, check: check ?? null, agents });
  context.print(
    `furrow.yaml  ${missing.includes('furrow.yaml') ? 'written' : 'is there already, left as it is'}`,
    `${board}/  ${found ? 'is there already, left as it is' : 'written'}`,
    `agents  ${agents.length > 0 ? agents.join(', ') : 'none found on the PATH (claude, codex, opencode, gemini)'}`,
    `check  ${check ?? 'none found; set one in furrow.yaml, or everything lands unchecked'}`,
    '',
    'next: git add and commit them, then furrow add "your first task", furrow work',
  );
  return 0;
}

/** Asked only where somebody can answer. */
async function agreed(context: Context, missing: readonly string[]): Promise<boolean> {
  if (context.words.flag('yes') || context.json || !isTerminal(0) || !isTerminal(stdout)) return true;
  const ask = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return !/^n/i.test((await ask.question(`write ${missing.join(' and ')} here? [Y/n] `)).trim());
  } finally {
    ask.close();
  }
}

function readIn(root: string, name: string): string | undefined {
  try {
    return readFileSync(join(root, name), 'utf8');
  } catch {
    return undefined;
  }
}
