import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLACEHOLDERS } from '../../../src/config/contradictions.ts';
import type { LandedWork } from '../../../src/repo/merge/landed-work.ts';
import { batchMessage, entryMessage } from '../../../src/repo/merge/message.ts';
import { appendTrailers } from '../../../src/repo/merge/trailer-block.ts';
import { tasksIn } from '../../../src/repo/merge/trailers.ts';
import { runs } from '../../support/all.ts';

/** What git itself takes for the trailers of a message. */
const parsed = (message: string): string[] =>
  execFileSync('git', ['interpret-trailers', '--parse', '--no-divider'], { input: message, encoding: 'utf8' }).split('\n').filter(Boolean);

const OWN = ['Furrow-Task: 7', 'Furrow-Attempt: 1'];

const work = (messages: readonly string[], rest: Partial<LandedWork> = {}): LandedWork => ({
  task: 'default/7',
  attempt: 1,
  agent: 'quiet-fox',
  title: 'Mend the dates',
  keep: false,
  commits: messages.map((message, n) => ({ id: String(n), author: { name: 'Ada', email: 'ada@example.com' }, message })),
  ...rest,
});
const said = (messages: readonly string[], rest: Partial<LandedWork> = {}, template?: string) =>
  entryMessage(work(messages, rest), { checks: ['unit'], people: [], template });
const TRAILERS = 'Furrow-Task: 7\nFurrow-Attempt: 1\nFurrow-Agent: quiet-fox\nFurrow-Check: unit ok\n';

describe('trailers are added to a message', () => {
  const added = (message: string, to: string) => () => expect(appendTrailers(message, OWN)).toBe(to);
  const own = 'Furrow-Task: 7\nFurrow-Attempt: 1\n';
  it('that is only a subject', added('Fix it\n', `Fix it\n\n${own}`));
  it('whose subject looks like a trailer', added('Fix: the dates', `Fix: the dates\n\n${own}`));
  it('that has trailers', added('Fix\n\nSigned-off-by: A <a@b>\n', `Fix\n\nSigned-off-by: A <a@b>\n${own}`));
  it('that ends in prose with a colon', added('Fix\n\nNote: see\nthe book\n', `Fix\n\nNote: see\nthe book\n\n${own}`));
  it('with comments after its trailers', added('Fix\n\nA: b\n\n# c\n', `Fix\n\nA: b\n${own}\n# c\n`));
  it('that ends in a line with a sign of comments', added('Fix\n\nsee\n#123\n', `Fix\n\nsee\n#123\n\n${own}`));
  it('with CRLF', added('Fix\r\n\r\nA: b\r\n', `Fix\r\n\r\nA: b\r\n${own}`));
  it('with forged ones, which go', added('Fix\n\nFurrow-Task: 9\nA: b\nfurrow-check: x ok\n', `Fix\n\nA: b\n${own}`));
  it('with a review that nobody made', added('Fix\n\nFurrow-Review: approve by me (claude), round 1\nA: b\n', `Fix\n\nA: b\n${own}`));
  it('with nothing but forged ones', added('Fix\n\nFurrow-Task: 9\n Furrow-Task: 8\n', `Fix\n\n${own}`));

  it('as git would parse them, whatever the message: its own first, ours last, and only ours say Furrow-Task', () => {
    const pieces = [
      'A',
      'Fix it',
      'Key: value',
      'Signed-off-by: A <a@b>',
      '# note',
      ' folded',
      '',
      '\n',
      '\r',
      'Furrow-Task: 9',
      'Conflicts:',
      '\tx',
    ];
    const message = fc.array(fc.constantFrom(...pieces), { maxLength: 9 }).map((lines) => `Subject\n${lines.join('\n')}`);
    fc.assert(
      fc.property(message, (text) => {
        const all = parsed(appendTrailers(text, OWN));
        expect(all.slice(-2)).toEqual(OWN);
        expect(all.slice(0, -2)).toEqual(parsed(text).filter((one) => !one.startsWith('Furrow-')));
        expect(tasksIn(all.join('\n'))).toHaveLength(1);
      }),
      { numRuns: runs(8) },
    );
  });
});

describe('a landing of one entry says', () => {
  it('what its only commit says, byte for byte', () => {
    const body = `${'long '.repeat(2000)}\n# not a comment\n\tcode`;
    expect(said([`Fix the dates\n\n${body}\n\nSigned-off-by: A <a@b>\n`])).toBe(
      `Fix the dates\n\n${body}\n\nSigned-off-by: A <a@b>\n${TRAILERS}`,
    );
  });
  it('title and summary where furrow committed for the agent, or nobody wrote a message', () => {
    for (const message of ['Mend the dates\n', '', '\n']) {
      expect(said([message], { summary: 'Dates are parsed.\r\n\r\nIn UTC.' })).toBe(
        `Mend the dates\n\nDates are parsed.\n\nIn UTC.\n\n${TRAILERS}`,
      );
    }
  });
  it('title, summary and subjects for several commits, and their trailers once', () => {
    const commits = ['Parse\n\nwhy\n\nSigned-off-by: A <a@b>\n', 'Test\n\nSigned-off-by: A <a@b>\nRefs: #3\n', 'Mend the dates\n'];
    expect(said(commits, { summary: 'Furrow-Task: 9' })).toBe(
      `Mend the dates\n\nFurrow-Task: 9\n\n- Parse\n- Test\n\nSigned-off-by: A <a@b>\nRefs: #3\n${TRAILERS}`,
    );
  });
  it("every word of a person's commits where a linear history has no place for them", () => {
    const message = said(['One\n\nwhy 1\n', 'Two\n'], { agent: null });
    expect(message).toContain('Mend the dates\n\n- One\n\n  why 1\n\n- Two\n\nFurrow-Task: 7\n');
  });
  it('the whole of a long title', () => {
    const title = 'word '.repeat(30).trim();
    expect(said(['a', 'b'], { title }).split('\n').slice(0, 3)).toEqual([expect.stringMatching(/^word.*…$/), '', title]);
  });
  it('no trailers by a title, a summary, a subject or a check that pretends to be one', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('a', ' ', ':', '\n', '\r', '\u2028', '\u0085', '\0', '\x1b', '\u202e', '\ud800', 'Furrow-Task: 9', '#', 'é'),
    });
    fc.assert(
      fc.property(nasty, nasty, nasty, (title, other, check) => {
        const terms = { checks: [check], people: [] };
        const message = entryMessage(work([other, title], { title, summary: other, agent: other }), terms);
        const trailers = message.slice(message.trimEnd().lastIndexOf('\n\n')).split('\n');
        expect(trailers.filter((line) => line.startsWith('Furrow-Task:'))).toEqual(['Furrow-Task: 7']);
        expect(message).not.toMatch(/[^\P{C}\n]/u);
      }),
    );
  });
});

describe('a template', () => {
  it('is filled in, trailers of its own included, and loses the paragraphs that stay empty', () => {
    const template = '[{task}] {title}\n\n{summary}\n\n{subjects}\n\nBy: {agent} {attempt}\nScope: {type} {scope}';
    expect(said(['a', 'b'], { paths: ['api/x', 'api/y/z'] }, template)).toBe(
      `[7] Mend the dates\n\n- a\n- b\n\nBy: quiet-fox 1\nScope: fix api\n${TRAILERS}`,
    );
    for (const name of PLACEHOLDERS) expect(said(['a', 'b'], {}, `x {${name}}`)).not.toContain('{');
  });
  it('leaves a single commit as it was written', () => expect(said(['Own words\n'], {}, 'x {title}')).toBe(`Own words\n\n${TRAILERS}`));

  const subject = (rest: Partial<LandedWork>, commits = ['a', 'b'], to = '') => {
    return () => expect(said(commits, rest, 'conventional').split('\n')[0]).toBe(to);
  };
  it('conventional: by the title', subject({}, undefined, 'fix: mend the dates'));
  it('conventional: by a tag', subject({ title: 'Dates.', tags: ['x', 'Feature'] }, undefined, 'feat: dates'));
  it('conventional: by the commits', subject({}, ['test: a', 'feat(cli)!: b'], 'feat!: mend the dates'));
  it('conventional: with a scope that all commits share', subject({}, ['fix(api): a', 'test(api): b'], 'fix(api): mend the dates'));
  it('conventional: with the package as scope', subject({ paths: ['packages/web/a.ts'] }, undefined, 'fix(web): mend the dates'));
  it('conventional: a title that is so already', subject({ title: 'perf(db): less' }, undefined, 'perf(db): less'));
  it('conventional: nothing to go by', subject({ title: 'API of it' }, undefined, 'chore: API of it'));
});

it('a landing of several tasks names the review of each behind its task', () => {
  const review = 'approve by calm-otter (codex), round 2';
  const one = work(['a'], { review });
  const other = work(['b'], { task: 'default/8', review: 'overruled by human' });
  const none = work(['c'], { task: 'default/9' });
  expect(parsed(batchMessage([one, other, none], ['unit'])).join('\n')).toBe(
    `Furrow-Task: 7\nFurrow-Attempt: 1\nFurrow-Agent: quiet-fox\nFurrow-Review: ${review}\n` +
      'Furrow-Task: 8\nFurrow-Attempt: 1\nFurrow-Agent: quiet-fox\nFurrow-Review: overruled by human\n' +
      'Furrow-Task: 9\nFurrow-Attempt: 1\nFurrow-Agent: quiet-fox\nFurrow-Check: unit ok',
  );
});

describe('the subject of a landing of several tasks', () => {
  const says = (titles: readonly string[], subject: string) => () => {
    const entries = titles.map((title, n) => work(['a'], { title, task: `default/${n + 1}` }));
    expect(batchMessage(entries, []).split('\n')[0]).toBe(subject);
  };
  it('names the tasks by their titles', says(['Show prices', 'Round prices'], 'Show prices, round prices (2 tasks)'));
  it('leaves names as they are', says(['Show prices', 'API of it', 'GitHub login'], 'Show prices, API of it, GitHub login (3 tasks)'));
  it('counts a task without a title', says(['Show prices', ''], 'Show prices, land 2 (2 tasks)'));
  it(
    'ends before its line is full',
    says(
      [...Array(9).keys()].map((n) => `Write page number ${n}`),
      'Write page number 0, write page number 1, … (9 tasks)',
    ),
  );
  it('cuts a first title that fills the line', says(['Title '.repeat(20), 'Round prices'], `${'Title '.repeat(9)}Titl…, … (2 tasks)`));
  it('is never longer than a line', () =>
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 90 }), { minLength: 2, maxLength: 12 }), (titles) => {
        const [first = ''] = batchMessage(
          titles.map((title) => work(['a'], { title })),
          [],
        ).split('\n');
        expect([...first].length).toBeLessThanOrEqual(72);
        expect(first).toContain(`(${titles.length} tasks)`);
      }),
    ));
});
