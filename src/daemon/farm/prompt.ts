import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FurrowError } from '../../platform/error.ts';
import { readIfThere } from '../../platform/files.ts';
import { tryGit } from '../../platform/git/run.ts';
import { attachedTo } from '../../work/task/attached.ts';
import { parseTask } from '../../work/task/parse.ts';
import { renderErrand, renderPrompt } from '../../work/task/prompt.ts';
import { reworkOf } from '../../work/task/rework.ts';
import type { Assignment } from '../acts/attempt-start/arguments.ts';
import type { FarmOutsideStore } from './farm.ts';

/** The prompt of an agent for its task, from the present board file and template. */
export async function promptFor(
  farm: FarmOutsideStore,
  { task, brief, others }: Assignment,
  at: { attempt: number; base: string; branch: string },
): Promise<string> {
  if (brief !== null) return renderErrand({ ...task, brief, rework: reworkOf(task) });
  const text = parseTask(await readFile(join(farm.board.dir, task.file), 'utf8'), task.file);
  if (!text.ok) throw new FurrowError('TASK_FILE', `${task.file}:${text.line}: ${text.reason}`);
  return renderPrompt(
    {
      task: text.task,
      phase: task.phase,
      attempt: at.attempt,
      base: at.base,
      branch: at.branch,
      rework: reworkOf(task),
      others,
      checks: farm.config.checks.map((check) => check.run),
      protect: farm.config.protect,
      attached: attachedTo(farm.board.dir, task.file, task.id).map((path) => basename(path)),
    },
    await templateOf(farm, at.base),
  );
}

/**
 * The user's template. Like furrow.yaml it is read in the checkout while that is on the target, else on the target: a branch that a person
 * looks at must not decide what agents are told. A configured template that is missing is an error.
 */
export async function templateOf(farm: FarmOutsideStore, base: string): Promise<string | undefined> {
  const { prompt } = farm.config;
  if (!prompt) return readIfThere(join(farm.places.dir, 'prompt.md'));
  const { branch, operation } = farm.inputs.now.checkout;
  const committed = await tryGit(farm.repo, ['cat-file', 'blob', `${base}:${prompt}`]);
  const onTarget = branch === farm.target && !operation;
  const edited = onTarget || committed.code !== 0 ? await readIfThere(join(farm.repo.root, prompt)) : undefined;
  if (edited?.trim()) return edited;
  if (committed.code === 0) return committed.stdout;
  throw new FurrowError('NO_TEMPLATE', `prompt: ${prompt} is not there`, { hint: 'furrow config' });
}
