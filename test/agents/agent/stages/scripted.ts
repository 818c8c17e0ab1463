import type { Line } from '../../../../src/agents/agent/drivers/scripted/transcript.ts';
import type { Deed, Stage } from '../../../real-agents/stage.ts';
import { conversations, type Own, placeFor } from './place.ts';

const SPEAKS = 'it speaks to furrow by its command line only';

/** The scripted agent in its window: what others are told by a model stands in its task. */
export const scripted: Stage = {
  name: 'scripted',
  mode: 'window',
  cannot: { mcp: SPEAKS, 'old door': SPEAKS, 'late cost': 'shown in test/farm/silence.test.ts' },
  missing: null,
  open: (settings) => placeFor(own(), settings),
};

function own(): Own {
  let locked = false;
  return {
    settings: { driver: 'scripted', mode: 'window' },
    lockOut: () => {
      locked = true;
    },
    body:
      (gates) =>
      (...deeds) =>
        ['```script', 'usage 100 10 0.25', ...(locked ? ['auth'] : []), ...deeds.flatMap((deed) => stepsOf(deed, gates)), '```'].join('\n'),
    conversation: async (repo) => (await lines(repo)).flatMap((line) => ('text' in line ? [line.text] : [])).join('\n'),
    tokens: async (repo) => {
      const usage = (await lines(repo)).findLast((line) => line.on === 'usage')?.usage;
      return (usage?.input ?? 0) + (usage?.output ?? 0);
    },
    processes: /window-agent\/main\.(ts|cjs)$/,
  };
}

async function lines(repo: { readonly root: string }): Promise<Line[]> {
  const texts = await conversations(repo);
  return texts.flatMap((text) => text.trimEnd().split('\n')).map((line) => JSON.parse(line) as Line);
}

function stepsOf(deed: Deed, gates: string): string[] {
  if ('commit' in deed) return [`write ${deed.commit}.txt ${deed.commit}`, `commit ${deed.commit}`];
  if ('write' in deed) return [`write ${deed.write.path} ${deed.write.text}`];
  if ('run' in deed) return [`permission ${deed.run}`];
  if ('ask' in deed) return [`question ${[deed.ask.question, ...deed.ask.options].join(' | ')}`];
  if ('say' in deed) return [`say ${deed.say}`, 'turn'];
  if ('hold' in deed) return [`wait ${gates}/${deed.hold}`];
  if ('overflow' in deed) return ['context'];
  if ('error' in deed) return deed.error === 429 ? [`limit ${deed.retryAfter ?? 1}`] : [`retry ${deed.times}`];
  throw new Error(`no step does this: ${JSON.stringify(deed)}`);
}
