import type { Handlers } from '../../api/server.ts';
import { splitRef } from '../../work/task/id.ts';
import type { Desk } from './context.ts';
import { findSubject } from './subject.ts';
import { folderOf, noFolder } from './work-folder.ts';

/** The folder in which a task, or an agent, is at work. */
export function folders({ farm }: Desk): Pick<Handlers, 'path'> {
  return {
    async path({ subject: name }) {
      const subject = await findSubject(farm, name, ['task', 'agent', 'branch']);
      const found = await folderOf(farm, subject);
      if (!found) throw await noFolder(farm, subject);
      const { path, branch, attempt } = found;
      const task = attempt ? splitRef(attempt.task).id : null;
      return { subject: subject.name, path, branch, agent: attempt?.agent ?? null, task, attempt: attempt?.n ?? null };
    },
  };
}
