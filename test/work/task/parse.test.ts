import { describe, expect, it } from 'vitest';
import { isId, splitRef } from '../../../src/work/task/id.ts';
import { parseTask } from '../../../src/work/task/parse.ts';

const file = (head: string, body = '') => `---\n${head}\n---\n${body}`;
const BASE = 'id: 7\ntitle: Set up CI\nstatus: todo';
const read = (text: string) => {
  const parsed = parseTask(text, '007.md');
  if (!parsed.ok) throw new Error(`line ${parsed.line}: ${parsed.reason}`);
  return parsed.task;
};

describe('reading a task', () => {
  it('reads every field that furrow uses', () => {
    const text = file(
      'id: 2\ntitle: Spawn\nstatus: in-progress\npriority: critical\ncreated: 2026-02-22T10:00:00.479842145-05:00\ntags:\n    - core\ndue: "2026-03-15"\ndepends_on:\n    - 1\n    - ui/3\nblocked: true\nblock_reason: no key\nclass: expedite\nagent: codex\nmodel: gpt-5.5\neffort: high\npaths: [src/**, docs/a.md]\ncheck: npm test\nland: approve\nrace: 3\nreview: yes\nneeds: [db]\nissue: https://forge.example/shop/issues/7',
      '\n\nBody.\n\n## Batty Config\nx = 1\n',
    );
    expect(read(text)).toEqual({
      id: '2',
      title: 'Spawn',
      status: 'in-progress',
      priority: 'critical',
      class: 'expedite',
      due: '2026-03-15',
      created: Date.parse('2026-02-22T15:00:00.479Z'),
      updated: 0,
      dependsOn: ['1', 'ui/3'],
      tags: ['core'],
      agent: 'codex',
      model: 'gpt-5.5',
      effort: 'high',
      paths: ['src/**', 'docs/a.md'],
      needs: ['db'],
      check: 'npm test',
      land: 'approve',
      claimedBy: null,
      claimedAt: 0,
      blocked: true,
      blockReason: 'no key',
      review: true,
      race: 3,
      issue: 'https://forge.example/shop/issues/7',
      body: 'Body.\n\n## Batty Config\nx = 1\n',
    });
  });

  it.each([
    ['race: 3', 3],
    ['race: [claude, codex, claude]', ['claude', 'codex', 'claude']],
    ['race:\n  - claude\n  - codex', ['claude', 'codex']],
    ['race:', null],
  ])('reads %j', (line, race) => expect(read(file(`${BASE}\n${line}`)).race).toEqual(race));

  it('keeps ids as they are written', () => {
    const task = read(file('id: 007\ntitle: a\nstatus: todo\ndepends_on: [08, 1e3, "0x10"]'));
    expect([task.id, ...task.dependsOn]).toEqual(['007', '08', '1e3', '0x10']);
  });

  it('reads BOM, CRLF, the year 1 and a file that ends at the ---', () => {
    expect(read(`\ufeff${file(`${BASE}\ncreated: 0001-01-01T00:00:00Z`, '\nBody.\n').replaceAll('\n', '\r\n')}`)).toMatchObject({
      id: '7',
      created: 0,
      body: 'Body.\n',
    });
    expect(read(`---\n${BASE}\n---`).body).toBe('');
  });

  it('reads a hostile title as data', () => {
    const title = `\u001b[31m\u202e${'x'.repeat(10_240)}`;
    expect(read(file(`id: 1\nstatus: todo\ntitle: ${title}`)).title).toBe(title);
    expect(read(file(`id: 1\nstatus: todo\ntitle: ${JSON.stringify('a\u0000b\n---\nid: 2')}`))).toMatchObject({
      id: '1',
      title: 'a\u0000b\n---\nid: 2',
    });
  });

  const refuses = (text: string, line: number, reason: RegExp) => () => {
    expect(parseTask(text, '007.md')).toMatchObject({ ok: false, line, reason: expect.stringMatching(reason) });
  };
  it('refuses an empty file', refuses('', 1, /is empty/));
  it('refuses a half-written file', refuses('---\nid: 7\ntit', 1, /no --- line/));
  it('refuses a missing title', refuses(file('id: 7\nstatus: todo'), 1, /title is missing/));
  it('refuses a blank title', refuses(file('id: 7\ntitle: "  "\nstatus: todo'), 3, /title is missing/));
  it('refuses an id that is no part of a ref', refuses(file('title: a\nid: a/../b\nstatus: todo'), 3, /id "a\/\.\.\/b"/));
  it('refuses a dependency that is none', refuses(file(`${BASE}\ndepends_on: "1, 2"`), 5, /"1, 2" is not a task id/));
  it('refuses a dependency on itself', refuses(file(`${BASE}\ndepends_on: [7]`), 5, /cannot wait for itself/));
  it('refuses a due that is no date', refuses(file(`${BASE}\ndue: soon`), 5, /due must be a date/));
  it('refuses a word about landing that it does not know', refuses(file(`${BASE}\nland: maybe`), 5, /land must be auto or approve/));
  it('refuses broken YAML at its line', refuses(file(`${BASE}\ntags: [a`), 5, /not YAML/));
  it.each(['ftp://forge.example/7', 'forge.example/7', '"https://forge.example/<script>"', '"https://a b"'])(
    'refuses as an issue %s',
    (value) => refuses(file(`${BASE}\nissue: ${value}`), 5, /issue must be the web address of an issue/)(),
  );
  it('refuses a race of nobody', refuses(file(`${BASE}\nrace: 0`), 5, /race must be a number from 1 to 999, or kinds of agents, not "0"/));
  it('refuses a race of numbers', refuses(file(`${BASE}\nrace: [2, 3]`), 5, /race must be .* not "2"/));
  it('refuses a race of what is no kind', refuses(file(`${BASE}\nrace: [claude, "a b"]`), 5, /race must be .* not "a b"/));
  it('refuses a key given twice', refuses(file(`${BASE}\nid: 8`), 5, /not YAML: Map keys must be unique/));
  it(
    'refuses conflict markers at their line',
    refuses(file(`${BASE}\n<<<<<<< HEAD\npriority: low\n=======\npriority: high\n>>>>>>> x`), 5, /conflict markers/),
  );
  it('refuses conflict markers in the body', refuses(file(BASE, '<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n'), 6, /conflict markers/));
  it('refuses an alias', refuses(file('id: 7\ntitle: &t x\nstatus: *t'), 4, /status must be one piece of text/));
  it('refuses lists nested beyond the stack', refuses(file(`${BASE}\ntags: ${'['.repeat(20_000)}`), 5, /not YAML/));

  it('is not hurt by an alias bomb', () => {
    const levels = Array.from({ length: 30 }, (_, n) => `l${n + 1}: &l${n + 1} [*l${n}, *l${n}, *l${n}, *l${n}]`);
    expect(read(file([BASE, 'l0: &l0 [x, x]', ...levels].join('\n'))).id).toBe('7');
  });

  it('takes a heading and prose about markers for what they are', () => {
    expect(read(file(BASE, 'Title\n=======\n\nA line with <<<<<<< in it.\n')).id).toBe('7');
  });
});

describe('ids', () => {
  it.each(['1', '007', 'a.b-c_D', 'x'.repeat(64)])('%s is one', (id) => expect(isId(id)).toBe(true));
  it.each(['', '.', '..', 'a..b', 'a.', 'a.lock', 'A.LOCK', '-a', '.a', 'a/b', 'a b', 'a@{b', 'é', 'a\n', 'x'.repeat(65)])(
    '%j is none',
    (id) => expect(isId(id)).toBe(false),
  );
  it('come with their phase', () => expect(splitRef('ui/7')).toEqual({ phase: 'ui', id: '7' }));
});
