import { expect, inject, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm, furrowIn } from '../support/farm.ts';
import { steps } from '../support/model/script.ts';
import { startModel } from '../support/model/server.ts';
import { fsck, replayChecks } from '../support/oracle.ts';
import { KINDS } from './kinds/index.ts';
import { entryOf, repoFor, strike } from './scene.ts';
import type { Deed } from './stage.ts';

const lacking = ['claude', 'codex'].filter((name) => !inject('installed').some((one) => one.name === name && one.bin !== null));

const claude = (...deeds: Deed[]) => steps(...deeds.map((deed) => entryOf(deed, KINDS.claude)));
const codex = (...deeds: Deed[]) => steps(...deeds.map((deed) => entryOf(deed, KINDS.codex)));

/** A real agent answers the split; the parts are for agents of three kinds. The raced one comes last, so that nobody begins with it alone. */
const PARTS = {
  tasks: [
    { key: 'read', title: 'Read dates', agent: 'reader', priority: 'high' },
    {
      key: 'print',
      title: 'Print dates',
      agent: 'claude',
      priority: 'high',
      body: claude({ run: 'furrow ask "which time zone?" --to reader' }, { commit: 'print' }, { say: 'Done.' }),
    },
    { key: 'compare', title: 'Compare dates', agent: 'codex', body: codex({ commit: 'compare' }, { say: 'Done.' }) },
    { key: 'docs', title: 'Tell about dates', priority: 'low', body: claude({ commit: 'docs' }, { say: 'Done.' }) },
    { key: 'release', title: 'Release', agent: 'hand', depends_on: ['read', 'print', 'compare', 'docs'] },
  ],
};
const GOAL = `Dates can be read, printed and compared.\n\n${claude({ run: 'furrow done --result @parts.json' }, { say: 'Done.' })}\n`;

const ARRANGE = 'furrow split --goal "$(cat goal.md)" --agent claude --yes\nfurrow race 5 --entrants hand,claude\n';

const HAND = `case $FURROW_TASK in
  review-*) exec furrow done --result 'APPROVE it does what its task says' ;;
  *) echo "$FURROW_TASK" > "hand-$FURROW_TASK.txt" ;;
esac
`;
const READER = `until ask=$(furrow inbox --json | grep -o '"id":"[0-9]*","kind":"ask"' | grep -o '[0-9][0-9]*') && [ -n "$ask" ]; do sleep 1; done
furrow reply "$ask" 'UTC, everywhere'
echo read > read.txt
`;
const shell = (run: string) => ({ driver: 'command', run, commit: 'auto' });

const title =
  'without a person: an agent splits a goal, three kinds do the parts, one asks, one reviews, two race, and all of it lands green';

it.skipIf(lacking.length > 0)(lacking.length > 0 ? `${title} SKIPPED: there is no ${lacking.join(' and no ')}` : title, async () => {
  const model = await startModel();
  const real = (kind: (typeof KINDS)['claude']) => ({ permission: 'act', ...kind.settings(model.url) });
  const agents = {
    lead: { ...real(KINDS.claude), role: 'orchestrator' },
    claude: real(KINDS.claude),
    codex: real(KINDS.codex),
    hand: shell('sh hand.sh'),
    reader: shell('sh reader.sh'),
  };
  const repo = await repoFor(model, [KINDS.claude, KINDS.codex], { config: { agent: 'hand', agents, review: { kind: 'hand' } } });
  const running = farm(repo);
  try {
    for (const [name, text] of Object.entries({
      'parts.json': JSON.stringify(PARTS),
      'goal.md': GOAL,
      'arrange.sh': ARRANGE,
      'hand.sh': HAND,
      'reader.sh': READER,
    }))
      await repo.write(name, text);
    const deeds: Deed[] = [
      { run: 'furrow digest --tokens 600' },
      { run: 'sh arrange.sh' },
      { run: 'furrow done --no-change --reason "the parts are on the board"' },
      { say: 'Done.' },
    ];
    await writeBoard(repo, [{ id: 1, title: 'Dates', agent: 'lead', body: claude(...deeds) }]);
    await repo.commit('board');
    const first = await repo.git('rev-parse', 'main');
    const work = await furrowIn(repo, { timeoutMs: 270_000 }, 'work', '--parallel', '3');
    const log = await running.furrow('log');
    expect(work, `${work.stderr}\n${log.stdout}`).toMatchObject({ code: 0 });
    const states = (await running.ask('list')).map((task: { title: string; state: string }) => `${task.title}: ${task.state}`);
    expect(states).toEqual(['Dates', ...PARTS.tasks.map((task) => task.title)].map((name) => `${name}: landed`));
    expect(log.stdout).toMatch(/question m\d+ of [a-z-]+ to [a-z-]+: answered/);
    expect(await running.ask('race', '5')).toMatchObject({ state: 'won', entrants: [{ kind: 'hand' }, { kind: 'claude' }] });
    expect(log.stdout.match(/reviewed \d+ at \w+, round 1: approves/g)).toHaveLength(PARTS.tasks.length);
    expect((await running.ask('status')).attention).toEqual([]);
    const replayed = await replayChecks(repo, 'main', 'sh check.sh', first);
    expect([replayed.commits.length > 0, replayed.red]).toEqual([true, []]);
    expect(await fsck(repo)).toEqual([]);
  } finally {
    await strike(repo, model, running);
  }
});
