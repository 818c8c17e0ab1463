import { join } from 'node:path';
import type { Ability, Deed, Stage } from '../../../real-agents/stage.ts';
import { type Own, placeFor, readIfAny } from './place.ts';

const SILENT = 'a command line tells nothing of itself';
const ABILITIES: readonly Ability[] = [
  'permission',
  'guard',
  'reason',
  'question',
  'message',
  'busy message',
  'interrupt',
  'auth',
  'limit',
  'overload',
  'resume',
  'hand-off',
  'reminder',
  'cost',
  'late cost',
  'mcp',
  'old door',
];

/** Any command line: here a shell that does what the block in its task says. */
export const command: Stage = {
  name: 'command',
  mode: 'headless',
  cannot: Object.fromEntries(ABILITIES.map((ability) => [ability, SILENT])),
  missing: null,
  open: (settings) => placeFor(own, settings),
};

const own: Own = {
  settings: {
    driver: 'command',
    run: `cat "$FURROW_PROMPT_FILE" >> "$HOME/told"; sed '1,/^\`\`\`sh$/d; /^\`\`\`$/,$d' "$FURROW_PROMPT_FILE" > "$HOME/do.sh"; sh -e "$HOME/do.sh"`,
  },
  body:
    (gates) =>
    (...deeds) =>
      ['```sh', ...deeds.map((deed) => lineOf(deed, gates)), '```'].join('\n'),
  conversation: (repo) => readIfAny(join(repo.home, 'told')),
  tokens: async () => 0,
  lockOut() {},
  processes: /do\.sh$/,
};

function lineOf(deed: Deed, gates: string): string {
  if ('commit' in deed) return `echo ${deed.commit} > ${deed.commit}.txt; git add ${deed.commit}.txt; git commit -q -m ${deed.commit}`;
  if ('run' in deed) return deed.run;
  if ('say' in deed) return `echo '${deed.say}'`;
  if ('hold' in deed) return `echo $$ >> ${gates}/${deed.hold}.seen; until [ -e ${gates}/${deed.hold} ]; do sleep 0.05; done`;
  throw new Error(`no shell does this: ${JSON.stringify(deed)}`);
}
