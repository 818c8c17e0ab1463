import { describe, it } from 'vitest';
import { titled, without } from '../support/needs.ts';
import { killing } from './promises/killing.ts';
import { permission } from './promises/permission.ts';
import { talking } from './promises/talking.ts';
import { tools } from './promises/tools.ts';
import { trouble } from './promises/trouble.ts';
import { working } from './promises/working.ts';
import { explained } from './seen.ts';
import type { Ability, Scene, Settings, Stage } from './stage.ts';

/** One promise; with an ability, only for those that have it. */
export type Promised = (name: string, ability: Ability | undefined, test: (scene: Scene) => Promise<void>, settings?: Settings) => void;

/** What every driver promises, seen only through the command line, the repository and what its model was asked. */
export function contract(stage: Stage): void {
  const title = `${stage.name} (${stage.mode})`;
  if (stage.missing !== null) {
    it.skip(`${title} SKIPPED: ${stage.missing}`, () => {});
    return;
  }
  const promise: Promised = (name, ability, test, settings = {}) => {
    const reason = ability && (stage.cannot[ability] ?? slow(stage, ability));
    if (reason !== undefined) {
      it.skip(`${name} SKIPPED: ${reason}`, () => {});
      return;
    }
    const fenced = settings.strict === true || settings.config?.['isolation'] === 'guard';
    it.skipIf(fenced && without('bwrap'))(fenced ? titled('bwrap', name) : name, async () => {
      await using scene = await stage.open(settings);
      await explained(scene, () => test(scene));
    });
  };

  describe(title, () => {
    for (const group of [working, tools, permission, talking, trouble, killing]) group(promise);
  });
}

/** What `--quick` leaves to the whole run: a back-off of a minute each, and without a window all that a window shows already. */
const SLOW: readonly Ability[] = ['limit', 'overload'];
const SHOWN: readonly Ability[] = ['cost', 'resume', 'mcp', 'guard', 'reason'];

function slow(stage: Stage, ability: Ability): string | undefined {
  if (process.env['FURROW_AGENTS_QUICK'] !== '1') return undefined;
  const left = SLOW.includes(ability) || (stage.mode === 'headless' && !SHOWN.includes(ability));
  return left ? 'left to the run without --quick' : undefined;
}
