import { parseConfig } from '../../config/load.ts';
import { EMPTY_FOLDER } from '../../config/trust/git-lines.ts';
import { linesOf } from '../../config/trust/lines.ts';
import { readRecord, repositoryKey, writeRecord } from '../../config/trust/store.ts';

/**
 * Trusts a furrow.yaml that furrow wrote itself and the person has just agreed to. Not what was there before: settings of agents and
 * hooks are asked about when something is to start. Where the yes cannot be stored, all of it is.
 */
export async function trustOwn({ root, gitDir }: { root: string; gitDir: string }, text: string): Promise<void> {
  const config = parseConfig(text, 'furrow.yaml');
  const own = linesOf({ config, tasks: [], settings: [], hooks: [], prompt: undefined, git: EMPTY_FOLDER, borrowed: [] });
  const key = repositoryKey(gitDir);
  const names = new Set(own.map(({ name }) => name));
  const before = ((await readRecord(key))?.lines ?? []).filter(({ name }) => !names.has(name));
  await writeRecord(key, { repository: root, at: new Date().toISOString(), lines: [...before, ...own] }).catch(() => {});
}
