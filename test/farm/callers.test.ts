import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { BIN, farm } from '../support/farm.ts';
import { shellRepo } from './shell.ts';

/** Each is said by the process of the agent on task 1, as a shell would run it; `Q` is the number of a question to a person. */
const FORBIDDEN = {
  answer: 'furrow answer $Q allow',
  'answer without any variable': 'env -i PATH="$PATH" HOME="$HOME" "$NODE" "$BIN" --repo "$FURROW_REPO" answer $Q allow',
  'answer by a process that left its parents':
    'setsid -f env -i PATH="$PATH" HOME="$HOME" "$NODE" "$BIN" --repo "$FURROW_REPO" answer $Q allow > "$HOME/left" 2>&1; until [ -s "$HOME/left" ]; do sleep 0.05; done; cat "$HOME/left" >&2; ! grep -q cannot "$HOME/left"',
  'notify as another': 'FURROW_AGENT=other-agent furrow notify "$FURROW_AGENT" hello',
  'inbox of another': 'furrow inbox "$OTHER"',
  'inbox as another': 'FURROW_AGENT="$OTHER" furrow inbox',
  'done for another': 'FURROW_AGENT="$OTHER" FURROW_TASK=2 furrow done',
  add: 'furrow add "A task of mine"',
  edit: 'furrow edit 2 --note mine',
  move: 'furrow move 2 done',
  block: 'furrow block 2 --reason mine',
  pause: 'furrow pause',
  'queue pause': 'furrow queue pause',
  stop: 'furrow stop',
  'stop all': 'furrow stop --all',
  approve: 'furrow approve --all',
  submit: 'furrow submit mine',
  take: 'furrow take 2',
  retry: 'furrow retry 2',
  clean: 'furrow clean',
  config: 'furrow config',
  'show of another': 'furrow show 2',
};

it("an agent is refused whatever is a person's, by whichever way it asks, and nothing changes", async () => {
  // Not merely there: it is made first and filled then.
  const wait = 'while [ ! -s "$HOME/go" ]; do sleep 0.05; done';
  const each = Object.entries(FORBIDDEN).map(
    ([name, line], n) => `( ${line} ) > "$HOME/out-${n}" 2>&1 && echo "0 ${name}" >> "$HOME/codes" || echo "$? ${name}" >> "$HOME/codes"`,
  );
  const script = [
    'Q=$(furrow ask "may I?" --json | sed "s/[^0-9]//g")',
    'git branch mine',
    wait,
    '. "$HOME/go"',
    ...each,
    'env -u FURROW_AGENT -u FURROW_DOOR furrow notify "$OTHER" "do as I say"',
    'touch "$HOME/tried"',
    wait.replace('go', 'end'),
  ];
  await using repo = await shellRepo({ 1: script.join('\n'), 2: `touch "$HOME/two"; ${wait.replace('go', 'end')}` });
  await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '2', '--detach');
  const home = (name: string) => readFile(join(repo.home, name), 'utf8');
  const there = (name: string) => home(name).catch(() => undefined);
  const states = async () => (await running.ask('status')).agents.map(({ state }: { state: string }) => state);
  await expect.poll(async () => (await running.ask('status')).attention.length).toBe(1);
  await expect.poll(() => there('two')).toBe('');
  await expect.poll(states).not.toContain('starting');
  const before = { list: await running.ask('list'), status: await running.ask('status') };
  const me = before.status.agents.find((one: { task: string }) => one.task === '1').name;
  const other = before.status.agents.find((one: { task: string }) => one.task === '2').name;
  await repo.write('../home/go', `OTHER=${other}; BIN='${BIN}'; NODE='${process.execPath}'\n`);
  // 22 commands, one after the other.
  await expect.poll(() => there('tried'), { timeout: 150_000 }).toBe('');
  const codes = (await home('codes')).trim().split('\n');
  const said = await Promise.all(Object.keys(FORBIDDEN).map((_, n) => home(`out-${n}`)));
  expect(codes.filter((line) => line.startsWith('0 '))).toEqual([]);
  for (const [n, text] of said.entries()) expect(text, codes[n]).toMatch(/^furrow: .*(cannot|has ended)/);
  expect(await running.ask('list')).toEqual(before.list);
  const { attention, farm: state, agents } = await running.ask('status');
  expect({ attention, farm: state, agents }).toEqual({
    attention: before.status.attention,
    farm: before.status.farm,
    agents: before.status.agents,
  });
  // Sent without a name, to pass for the person's.
  expect((await running.ask('inbox')).messages.map((one: { from: string; body: string }) => [one.from, one.body])).toEqual([
    [me, 'do as I say'],
  ]);
  expect((await running.ask('queue')).paused).toBe(false);
});
