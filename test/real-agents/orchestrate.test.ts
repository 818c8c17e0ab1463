import { expect, inject, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm, furrowIn, killDaemon, type TestFarm } from '../support/farm.ts';
import { steps } from '../support/model/script.ts';
import { startModel } from '../support/model/server.ts';
import { fsck, replayChecks } from '../support/oracle.ts';
import { KINDS } from './kinds/index.ts';
import { entryOf, repoFor, strike } from './scene.ts';
import type { Deed } from './stage.ts';

const lacking = ['claude', 'codex'].filter((name) => !inject('installed').some((one) => one.name === name && one.bin !== null));

const claude = (...deeds: Deed[]) => steps(...deeds.map((deed) => entryOf(deed, KINDS.claude)));
const codex = (...deeds: Deed[]) => steps(...deeds.map((deed) => entryOf(deed, KINDS.codex)));

/** The lease that two agents wait for, by furrow's own tool: no rule allows it. */
const lease: Deed = { mcp: { server: 'furrow', tool: 'reserve', args: { paths: ['notes.txt'], wait: true } } };
const UP_TO_DATE: Deed = { run: 'sh up-to-date.sh' };
const note = (what: string): Deed => ({ run: `echo ${what} >> notes.txt && git add notes.txt && git commit -q -m ${what}-notes` });
const count = 'furrow job list --json | grep -o \'"id":"[^"]*"\' | head -1 | cut -d\\" -f4';

/** A real agent answers the split; the parts are for agents of three kinds. The raced one comes last, so that nobody begins with it alone. */
const PARTS = {
  tasks: [
    { key: 'read', title: 'Read dates', agent: 'reader', priority: 'high' },
    {
      key: 'print',
      title: 'Print dates',
      agent: 'claude',
      priority: 'high',
      body: claude(
        { run: 'furrow ask "which time zone?" --to reader' },
        lease,
        { say: 'I wait for notes.txt.' },
        { run: 'sh answer-job.sh' },
        { say: 'I wait for notes.txt.' },
        UP_TO_DATE,
        note('print'),
        { commit: 'print' },
        { say: 'Done.' },
      ),
    },
    {
      key: 'compare',
      title: 'Compare dates',
      agent: 'codex',
      priority: 'high',
      body: codex(lease, { say: 'I wait for notes.txt.' }, UP_TO_DATE, note('compare'), { commit: 'compare' }, { say: 'Done.' }),
    },
    {
      key: 'docs',
      title: 'Tell about dates',
      priority: 'low',
      body: claude({ run: 'echo dates >> docs.txt && git add docs.txt && git commit -q -m docs' }, { say: 'Done.' }),
    },
    { key: 'release', title: 'Release', agent: 'hand', depends_on: ['read', 'print', 'compare', 'docs'] },
  ],
};
const GOAL = `Dates can be read, printed and compared.\n\n${claude({ run: 'furrow done --result @parts.json' }, { say: 'Done.' })}\n`;

/** The first kill of the daemon may leave a call without an answer: then it is made again, unless it was heard. */
const ARRANGE = `furrow split --goal "$(cat goal.md)" --agent claude --yes
until furrow race 5 --entrants hand,claude || furrow race 5; do sleep 1; done
`;

/** Does its task by hand, and reviews the others: the first look at the docs has a finding. */
const HAND = `case $FURROW_TASK in
  review-*)
    if grep -q 'Tell about dates' "$FURROW_PROMPT_FILE" && grep -q 'This is round 1' "$FURROW_PROMPT_FILE"; then
      exec furrow done --result 'FINDINGS
- docs.txt says it only once'
    fi
    exec furrow done --result 'APPROVE it does what its task says' ;;
  *) echo "$FURROW_TASK" >> "hand-$FURROW_TASK.txt" ;;
esac
`;
/** Holds what the others wait for, answers the question, and has the asker do a job. */
const READER = `until furrow reserve notes.txt; do sleep 1; done
until ask=$(furrow inbox --json | grep -o '"id":"[0-9]*","kind":"ask","from":"[^"]*"') && [ -n "$ask" ]; do sleep 1; done
furrow reply "$(echo "$ask" | cut -d'"' -f4)" 'UTC, everywhere'
furrow job send "$(echo "$ask" | cut -d'"' -f12)" 'count the dates'
until [ "$(furrow locks --json | grep -o '"state":"waiting"' | wc -l)" -ge 2 ]; do sleep 1; done
until furrow inbox --json | grep -q 'three dates'; do sleep 1; done
echo read > read.txt
`;
const ANSWER_JOB = `until job=$(${count}) && [ -n "$job" ]; do sleep 1; done
furrow job done "$job" --result 'three dates'
`;
/** In a fence the branches stay as the attempt began with them: the message with the lease names the landing to merge. */
const MERGE = `sha=$(furrow messages --json | grep -o 'git merge [0-9a-f]*' | tail -1 | cut -d' ' -f3)
[ -z "$sha" ] || git merge -q "$sha"
`;
const shell = (run: string) => ({ driver: 'command', run, commit: 'auto' });
/** No rule allows everything: what the agents run is named. */
const RULES = ['echo *', 'git add *', 'git commit *', 'sh arrange.sh', 'sh up-to-date.sh', 'sh answer-job.sh'].map((command) => ({
  do: 'allow',
  command,
}));

/** Once while the parts are worked on, and once when some have landed. */
async function killTwice(running: TestFarm): Promise<void> {
  const counted = async (kind: string) => (await running.events()).filter((event) => event.kind === kind).length;
  for (const [kind, least] of [
    ['attempt.started', 3],
    ['landing.landed', 2],
  ] as const) {
    await expect.poll(() => counted(kind), { timeout: 200_000, interval: 500 }).toBeGreaterThanOrEqual(least);
    await killDaemon(running);
  }
}

const title =
  'without a person, in a fence, by narrow rules: an agent splits a goal, three kinds do the parts, two wait for one lease, one asks, one has a job, a review finds something, two race, the daemon is killed twice, and all of it lands green';

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
  const repo = await repoFor(model, [KINDS.claude, KINDS.codex], {
    config: { agent: 'hand', agents, review: { kind: 'hand' }, isolation: 'guard', permissions: { rules: RULES } },
  });
  const running = farm(repo);
  try {
    for (const [name, text] of Object.entries({
      'parts.json': JSON.stringify(PARTS),
      'goal.md': GOAL,
      'arrange.sh': ARRANGE,
      'up-to-date.sh': MERGE,
      'hand.sh': HAND,
      'reader.sh': READER,
      'answer-job.sh': ANSWER_JOB,
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
    const [work] = await Promise.all([furrowIn(repo, { timeoutMs: 270_000 }, 'work', '--parallel', '3'), killTwice(running)]);
    const log = await running.furrow('log');
    expect(work, `${work.stderr}\n${log.stdout}`).toMatchObject({ code: 0 });
    const states = (await running.ask('list')).map((task: { title: string; state: string }) => `${task.title}: ${task.state}`);
    expect(states).toEqual(['Dates', ...PARTS.tasks.map((task) => task.title)].map((name) => `${name}: landed`));
    expect(log.stdout).toMatch(/question m\d+ of [a-z-]+ to [a-z-]+: answered/);
    expect(await running.ask('race', '5')).toMatchObject({ state: 'won', entrants: [{ kind: 'hand' }, { kind: 'claude' }] });
    expect(log.stdout.match(/reviewed \d+ at \w+, round [12]: approves/g)).toHaveLength(PARTS.tasks.length);
    expect(log.stdout.match(/reviewed \d+ at \w+, round 1: has 1 finding/g)).toHaveLength(1);
    expect(await repo.git('show', 'main:notes.txt')).toMatch(/^(print\ncompare|compare\nprint)$/);
    expect(log.stdout).toMatch(/three dates/);
    expect((await running.ask('status')).attention).toEqual([]);
    const replayed = await replayChecks(repo, 'main', 'sh check.sh', first);
    expect([replayed.commits.length > 0, replayed.red]).toEqual([true, []]);
    expect(await fsck(repo)).toEqual([]);
  } finally {
    await strike(repo, model, running);
  }
});
