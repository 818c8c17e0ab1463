import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { In } from '../../api/contract.ts';
import type { Handlers } from '../../api/server.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { changedFiles } from '../../repo/merge/changed-files.ts';
import { PLAIN_DIFF } from '../../repo/merge/patch.ts';
import { objectsIn } from '../../repo/radar/scratch-objects.ts';
import { lastAttemptAt } from '../../work/attempt/store.ts';
import type { Farm } from '../farm/farm.ts';
import { fileOf } from './change/file.ts';
import { changeOf } from './change/find.ts';
import { type Change, wholeLanding } from './change/landed.ts';
import type { Desk } from './context.ts';
import { findSubject, type Subject } from './subject.ts';

/** More is of no use to a reader, and would have to be held in memory several times over. */
const MOST_BYTES = 8 * 1024 * 1024;

type Of = Pick<In<'diff'>, 'subject' | 'shows'>;

/** The change of a task, an agent, a branch or a landing: what is in hand, what would land, or what landed. */
export function diff(desk: Desk): Pick<Handlers, 'diff' | 'changeFile'> {
  const { farm } = desk;
  return {
    diff: (asked) =>
      withChange(desk, asked, async (of, change) => {
        const { format, paths, width } = asked;
        const text = await printed(farm.repo, change, { format, paths, width });
        const files = await changedFiles(farm.repo, change, paths, inObjects(farm.repo, change));
        const { shows, from, to, attempt, target, uncommitted, leftOut } = change;
        return {
          subject: of,
          shows,
          text: change.text,
          base: from,
          commit: uncommitted ? null : to,
          target,
          attempt,
          uncommitted,
          left_out: [...leftOut],
          files,
          diff: Buffer.from(text.slice(0, MOST_BYTES), 'latin1').toString('base64'),
          cut: text.length > MOST_BYTES,
        };
      }),

    changeFile: (asked, { drained }) =>
      withChange(desk, asked, async (_, change) => {
        const answer = await fileOf(farm.repo, change, asked);
        // A page that is behind gets no second file on top of the first.
        await drained?.();
        return answer;
      }),
  };
}

/** Finds the change that is meant, and makes what it needs for as long as it is looked at. */
async function withChange<T>(
  { farm, machine }: Desk,
  { subject: name, shows }: Of,
  look: (of: string, change: Change) => Promise<T>,
): Promise<T> {
  const scratch = await mkdtemp(join(farm.places.run, 'diff-'));
  try {
    const whole = shows === 'landing' ? await wholeLanding(farm, name) : undefined;
    if (whole) return await look(name, whole);
    const subject = await findSubject(farm, name, ['task', 'agent', 'branch']);
    const agent = await agentOf(farm, subject);
    if (agent !== undefined) await machine.takeOver(agent);
    return await look(subject.name, await changeOf(farm, subject, scratch, shows));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The agent whose work in hand is meant. */
async function agentOf(farm: Farm, subject: Subject): Promise<string | undefined> {
  if (subject.is === 'agent') return subject.agent.name;
  return subject.is === 'task' ? (await lastAttemptAt(farm.db, subject.ref))?.agent : undefined;
}

/** The form in which a change is printed. */
interface Form {
  readonly format: 'patch' | 'stat' | 'names';
  readonly paths: readonly string[];
  /** Columns for `stat`. */
  readonly width: number;
}

const FORMATS = { patch: () => ['-p'], stat: (width: number) => [`--stat=${width}`], names: () => ['--name-only'] };

/** Changes that are not committed are in objects of ours. */
const inObjects = (repo: Repo, { objects }: Change) => (objects === undefined ? {} : { env: objectsIn(repo, objects) });

/** The change as git prints it, byte for byte (latin1). */
async function printed(repo: Repo, change: Change, { format, paths, width }: Form): Promise<string> {
  const words = [...PLAIN_DIFF, ...FORMATS[format](width), '--end-of-options', change.from, change.to, '--', ...paths];
  const text = await git(repo, words, { encoding: 'latin1', ...inObjects(repo, change) });
  return text === '' ? '' : `${text}\n`;
}
