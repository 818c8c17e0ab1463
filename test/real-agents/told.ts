import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { landed, taskFor } from './seen.ts';
import type { Stage } from './stage.ts';

/** The model and the effort of a task reach the model, whatever the kind says. */
export function told(stage: Stage, model: string, effort: string): void {
  it.skipIf(stage.missing !== null)(`${stage.name} (${stage.mode}) is told the model and the effort of its task`, async () => {
    await using scene = await stage.open({ kind: { effort: 'low' } });
    await writeBoard(scene.repo, [{ ...taskFor(scene, [{ commit: 'one' }, { say: 'Done.' }]), more: { model, effort } }]);
    expect(await scene.farm.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
    expect(await landed(scene, 'one')).toBe(true);
    const asked = scene.requests().map((body) => JSON.parse(body) as Asked);
    expect(asked.map((one) => [one.model, (one.output_config ?? one.reasoning)?.effort])).toContainEqual([model, effort]);
  });
}

/** Where the two say it. */
interface Asked {
  readonly model: string;
  readonly output_config?: { readonly effort: string };
  readonly reasoning?: { readonly effort: string };
}
