import { newestIntents } from '../../../journal/act.ts';
import type { PublishArgs, Published } from '../../acts/publish/arguments.ts';
import type { Farm } from '../../farm/farm.ts';
import { targetOf } from '../../farm/inputs/target.ts';

/** Publications of other targets may have come since. */
const LOOK_BACK = 50;

/** The last publication of a target, if it was cut short: the branch may be ahead of the files, and only this one can move them. */
export async function unfinished(farm: Farm, target: string): Promise<PublishArgs | undefined> {
  const isOfTarget = ({ args }: { readonly args: string }) => targetOf(JSON.parse(args) as PublishArgs, farm) === target;
  const newest = (limit: number) => newestIntents(farm.db, 'landing.publish', limit);
  // The newest is nearly always its own; the others are far back among all other intents.
  const last = (await newest(1)).find(isOfTarget) ?? (await newest(LOOK_BACK)).find(isOfTarget);
  if (!last || (last.state === 'done' && (JSON.parse(last.result ?? 'null') as Published | null)?.published)) return undefined;
  return JSON.parse(last.args) as PublishArgs;
}
