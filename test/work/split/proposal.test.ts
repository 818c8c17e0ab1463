import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawProposal } from '../../../src/work/split/draw.ts';
import { inOrder, lastOf } from '../../../src/work/split/order.ts';
import { type Known, type ProposedTask, readProposal } from '../../../src/work/split/proposal.ts';

const known: Known = {
  kinds: ['claude', 'codex'],
  priorities: ['low', 'medium', 'high'],
  taken: (id) => id === '4',
  refuses: (id) => (id === '4' ? undefined : `there is no task ${id}`),
};
const task = (key: string, more: object = {}) => ({ key, title: `Do ${key}`, ...more });
const read = (...tasks: object[]) => readProposal(JSON.stringify({ tasks }), known);
const problems = (...tasks: object[]) => (read(...tasks) as { problems: string[] }).problems;

it('reads tasks with what may be left out', () => {
  expect(
    read(task('a', { paths: ['src/**'], priority: 'high', agent: 'codex', body: 'x' }), task('b', { depends_on: ['a', '4'] })),
  ).toEqual({
    tasks: [
      { key: 'a', title: 'Do a', body: 'x', paths: ['src/**'], depends_on: [], priority: 'high', agent: 'codex' },
      { key: 'b', title: 'Do b', body: '', paths: [], depends_on: ['a', '4'] },
    ],
  });
});

it('reads JSON in a block of Markdown', () => {
  expect(readProposal('```json\n{"tasks":[{"key":"a","title":"x"}]}\n```\n', known)).toHaveProperty('tasks');
});

describe('an answer that cannot be used says why', () => {
  it.each<[string, RegExp, object[]]>([
    ['a check', /tasks\[0\]: check cannot be set here/, [task('a', { check: 'true' })]],
    ['how it lands', /tasks\[0\]: land cannot be set here/, [task('a', { land: 'auto' })]],
    ['no tasks', /tasks: Too small/, []],
    ['21 tasks', /tasks: Too big/, Array.from({ length: 21 }, (_, n) => task(`k${n}`))],
    ['a title of two lines', /tasks\[0\].title: one line of text/, [task('a', { title: 'x\ny' })]],
    ['a body that is too long', /tasks\[0\].body: Too big/, [task('a', { body: 'x'.repeat(20_000) })]],
    ['a path outside', /tasks\[0\].paths\[0\]: a path or pattern inside/, [task('a', { paths: ['../x'] })]],
    ['an absolute path', /tasks\[0\].paths\[0\]: a path or pattern inside/, [task('a', { paths: ['/etc/passwd'] })]],
    ['a key that is no name', /tasks\[0\].key: a short name/, [task('a b')]],
    ['a key twice', /two tasks have the key a/, [task('a'), task('a', { title: 'y' })]],
    ['a title twice', /two tasks have the title x/, [task('a', { title: 'x' }), task('b', { title: 'x' })]],
    ['a key that is an id', /the key 4 is the id of a task on the board/, [task('4')]],
    ['a dependency that is nowhere', /a cannot wait for 9: there is no task 9/, [task('a', { depends_on: ['9'] })]],
    ['a task that waits for itself', /these wait for each other: a$/, [task('a', { depends_on: ['a'] })]],
    ['a circle', /these wait for each other: a, b$/, [task('a', { depends_on: ['b'] }), task('b', { depends_on: ['a'] }), task('c')]],
    ['a priority', /a: there is no priority urgent, only low, medium, high/, [task('a', { priority: 'urgent' })]],
    ['a kind', /a: there is no kind of agent bot, only claude, codex/, [task('a', { agent: 'bot' })]],
  ])('%s', (_name, says, tasks) => expect(problems(...tasks).join('\n')).toMatch(says));

  it('text', () => expect(readProposal('here are your tasks', known)).toEqual({ problems: [expect.stringMatching(/^it is not JSON: /)] }));

  it('all of it at once', () => expect(problems(task('a', { priority: 'p', agent: 'b', depends_on: ['9'] }))).toHaveLength(3));
});

const graph = (...tasks: object[]) => drawProposal((read(...tasks) as { tasks: [] }).tasks);

it('draws each task below the last that it waits for', () => {
  expect(
    graph(
      task('a', { paths: ['src/a/**'] }),
      task('b', { depends_on: ['a'] }),
      task('c', { depends_on: ['a'], agent: 'codex' }),
      task('d', { depends_on: ['b', 'c', '4'] }),
      task('e', { depends_on: ['4'] }),
    ),
  ).toEqual(['a  Do a  (src/a/**)', '├─ b  Do b', '└─ c  Do c  (codex)', '   └─ d  Do d  (also waits for b, 4)', 'e  Do e  (waits for 4)']);
});

it('puts each task after those that it waits for, and draws every one once', () => {
  const tasks = fc.array(fc.array(fc.nat(19), { maxLength: 4 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(tasks, (needs) => {
      const all = needs.map((some, n) =>
        task(`k${n}`, { depends_on: [...new Set(some)].filter((other) => other < n).map((other) => `k${other}`) }),
      );
      const made = read(...all) as { tasks: readonly ProposedTask[] };
      const order = inOrder(made.tasks).map((one) => one.key);
      expect(order.toSorted()).toEqual(all.map((one) => one.key).toSorted());
      for (const one of made.tasks) for (const other of one.depends_on) expect(order.indexOf(other)).toBeLessThan(order.indexOf(one.key));
      expect(
        graph(...all)
          .map((line) => /k\d+/.exec(line)![0])
          .toSorted(),
      ).toEqual(order.toSorted());
      expect(lastOf(made.tasks).length).toBeGreaterThan(0);
    }),
    { numRuns: 60 },
  );
});
