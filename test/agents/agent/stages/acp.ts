import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Deed, Stage } from '../../../real-agents/stage.ts';
import type { TestRepo } from '../../../support/repo.ts';
import { type Own, placeFor } from './place.ts';

export const ACP_AGENT = fileURLToPath(new URL('../../../support/acp-agent.ts', import.meta.url));

const NO_WORDS = 'the protocol has no words for a refusal: it is said with the next prompt';

/** An agent that speaks the Agent Client Protocol: what others are told by a model stands in its task. */
export const acp = (mode: Stage['mode']): Stage => ({
  name: 'acp',
  mode,
  cannot: {
    reason: NO_WORDS,
    'old door': 'the test has no way to give it another server',
    ...(mode === 'headless' && { interrupt: 'there is no window to press a key in' }),
  },
  missing: null,
  open: (settings) => placeFor(own(mode), settings),
});

function own(mode: Stage['mode']): Own {
  let locked = false;
  return {
    settings: { driver: 'acp', mode, run: `${process.execPath} ${ACP_AGENT}` },
    lockOut: () => {
      locked = true;
    },
    body:
      (gates) =>
      (...deeds) =>
        [
          '```acp',
          ...[...(locked ? [{ auth: true }] : []), ...deeds.map((deed) => at(gates, deed))].map((one) => JSON.stringify(one)),
          '```',
        ].join('\n'),
    conversation: async (repo) => (await kept(repo)).flatMap(({ told }) => told).join('\n'),
    tokens: async (repo) => (await kept(repo)).reduce((sum, { used }) => sum + used * 1.1, 0),
    processes: /acp-agent\.ts/,
  };
}

const at = (gates: string, deed: Deed) => ('hold' in deed ? { ...deed, gates } : deed);

interface Kept {
  readonly told: readonly string[];
  readonly used: number;
}

async function kept({ home }: Pick<TestRepo, 'home'>): Promise<Kept[]> {
  const folder = join(home, 'acp-agent');
  const names = existsSync(folder) ? await readdir(folder) : [];
  const texts = await Promise.all(names.filter((name) => name.endsWith('.json')).map((name) => readFile(join(folder, name), 'utf8')));
  return texts.map((text) => JSON.parse(text) as Kept);
}
