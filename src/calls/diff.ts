import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Handlers } from '../api/server.ts';
import { lastAttemptAt } from '../attempt/store.ts';
import type { Farm } from '../farm/farm.ts';
import { changeOf } from './change/find.ts';
import { changedFiles, printed } from './change/print.ts';
import type { Desk } from './context.ts';
import { findSubject, type Subject } from './subject.ts';

/** More is of no use to a reader, and would have to be held in memory several times over. */
const MOST_BYTES = 8 * 1024 * 1024;

/** The change of a task, an agent or a branch: what is in hand, what would land, or what landed. */
export function diff({ farm, host }: Desk): Pick<Handlers, 'diff'> {
  return {
    async diff({ subject: name, format, paths, width }) {
      const subject = await findSubject(farm, name, ['task', 'agent', 'branch']);
      const scratch = await mkdtemp(join(farm.places.run, 'diff-'));
      try {
        const agent = await agentOf(farm, subject);
        if (agent !== undefined) await host.ownGits.look(agent);
        const change = await changeOf(farm, subject, scratch);
        const text = await printed(farm.repo, change, { format, paths, width });
        const files = await changedFiles(farm.repo, change, paths);
        const { shows, from, to, attempt, target, uncommitted, leftOut } = change;
        return {
          subject: subject.name,
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
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    },
  };
}

/** The agent whose work in hand is meant. */
async function agentOf(farm: Farm, subject: Subject): Promise<string | undefined> {
  if (subject.is === 'agent') return subject.agent.name;
  return subject.is === 'task' ? (await lastAttemptAt(farm.db, subject.ref))?.agent : undefined;
}
