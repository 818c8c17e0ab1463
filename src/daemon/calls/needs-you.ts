import type { Handlers } from '../../api/server.ts';
import { reasonWithoutCommands, taskName } from '../../tell/face/subject-names.ts';
import { outputIn } from '../farm/failed-output.ts';
import { QUESTION } from '../farm/failing.ts';
import type { Desk } from './context.ts';
import { readFarm } from './view/reading.ts';
import { subjectOf } from './view/status.ts';
import { until } from './wait-until.ts';

/** Tells a tab behind others what needs the person, and nothing else: none of the rest of the view is read for it. */
export function needsYouCall(desk: Desk): Pick<Handlers, 'needsYou'> {
  return {
    async needsYou(_args, { signal, item }) {
      let last: string | undefined;
      await until(desk.feed, signal, async () => {
        const questions = await needs(desk);
        const words = JSON.stringify(questions);
        if (words !== last && !signal.aborted) item({ questions });
        last = words;
        return false;
      });
      return {};
    },
  };
}

async function needs(desk: Desk) {
  const [rows, tasks] = [await readFarm(desk).questions(), await desk.farm.tasks()];
  return rows.map((row) => {
    const subject = subjectOf(row);
    const title = row.kind === QUESTION ? undefined : tasks.row(row.subject)?.title;
    const output = row.kind === QUESTION ? null : (outputIn(row.data) ?? null);
    return {
      id: String(row.id),
      name: title === undefined ? subject : taskName(subject, title),
      reason: reasonWithoutCommands({ kind: row.kind, reason: row.reason, output }),
    };
  });
}
