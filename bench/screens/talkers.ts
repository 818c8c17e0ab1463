import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { writeBoard } from '../../test/support/board.ts';
import { gitRepo, type TestRepo } from '../../test/support/repo.ts';

/**
 * Prints lines with the time in them. Nothing but builtins of bash: a `sleep` of its own for each line would be 1,000 processes a
 * second with 100 agents, and the machine would measure those.
 */
const PRINT = `LC_ALL=C
exec {nap}<> <(:)
n=0
while :; do
  [ -e "$1/silent" ] || printf 'line %d printed at %s, and some more words to fill it up\\n' "$((n += 1))" "$EPOCHREALTIME"
  read -rt "$2" -u "$nap"
done
`;

/** Prints as much as its terminal takes, while it is told to. */
const FLOOD = `exec {nap}<> <(:)
while :; do
  if [ -e "$1/flood" ]; then for i in {1..500}; do echo "flood $i of words that nobody can read at this speed"; done
  else read -rt 0.2 -u "$nap"; fi
done
`;

/** Agents that print, and what they are told. */
export interface Talkers {
  readonly repo: TestRepo;
  /** The task of the one that floods; the others print. */
  readonly flooder: string;
  flood(on: boolean): Promise<void>;
  silent(on: boolean): Promise<void>;
}

/** A repository whose board makes so many agents print so many lines a second each, and one more that can flood. */
export async function talkers(agents: number, lines: number): Promise<Talkers> {
  const repo = await gitRepo();
  const script = async (name: string, text: string) => {
    const file = join(repo.base, name);
    await writeFile(file, text);
    return `exec bash ${file} ${repo.base}`;
  };
  const kinds = {
    printing: { driver: 'command', run: `${await script('print.sh', PRINT)} ${1 / lines}` },
    flooding: { driver: 'command', run: await script('flood.sh', FLOOD) },
  };
  await repo.write('furrow.yaml', stringify({ agent: 'printing', agents: kinds, check: 'true' }));
  await writeBoard(repo, [
    ...Array.from({ length: agents }, (_, n) => ({ id: n + 1, title: `Printing ${n + 1}` })),
    { id: agents + 1, title: 'Flooding', agent: 'flooding', priority: 'high' },
  ]);
  await repo.commit('agents that print');
  const gate = (name: string) => (on: boolean) => (on ? writeFile(join(repo.base, name), '') : rm(join(repo.base, name), { force: true }));
  return { repo, flooder: String(agents + 1), flood: gate('flood'), silent: gate('silent') };
}
