import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFields } from '../../../src/work/task/fields.ts';
import { join, patch, split } from '../../../src/work/task/frontmatter.ts';
import { appendNote, replaceBody } from '../../../src/work/task/note.ts';
import { patchYaml } from '../../../src/work/task/patch-yaml.ts';
import { runs } from '../../support/all.ts';

const FILE = `---
# who wrote this
id: 007   # never a number
title:   'Spawn N  agents'
status: todo	# tabbed

tags: # mine
  - core

  - 'two words'
depends_on: [ 1,2 ]
custom: {keep: me,  as: is}
note: |
  block

priority: high
---

Body   
with trailing spaces.
`;

const changed = (before: string, after: string) => {
  const lines = new Set(before.split('\n'));
  return after.split('\n').filter((line) => !lines.has(line));
};

describe('patching frontmatter', () => {
  const patches = (what: string, changes: Record<string, unknown>, lines: string[]) =>
    it(what, () => {
      for (const text of [FILE, `\ufeff${FILE.replaceAll('\n', '\r\n')}`]) {
        const after = patch(text, changes as never);
        const crlf = text.includes('\r\n');
        expect(changed(text, after)).toEqual(lines.map((line) => (crlf ? `${line}\r` : line)));
        expect(after.includes('\r\n')).toBe(crlf);
        expect(after.startsWith('\ufeff')).toBe(crlf);
        expect(/[^\r]\n/.test(after)).toBe(!crlf);
      }
    });
  patches('keeps the comment beside a changed value', { status: 'done' }, ['status: done	# tabbed']);
  patches('keeps spacing before a changed value', { title: 'yes' }, ['title:   "yes"']);
  patches('leaves a value alone that already reads so', { id: '007', title: 'Spawn N  agents' }, []);
  patches('changes a block list in its own indentation', { tags: ['core', '9'] }, ['  - "9"']);
  patches('keeps a flow list a flow list', { depends_on: ['1', '4', 'ui/7'] }, ['depends_on: [1, 4, ui/7]']);
  patches('puts a new key where kanban-md would', { started: '2026-01-01T00:00:00Z' }, ['started: 2026-01-01T00:00:00Z']);
  it('adds a list set in as the others are', () =>
    expect(patchYaml('tags:\n    - core\n', { paths: ['a'] }, '\n')).toBe('tags:\n    - core\npaths:\n    - a\n'));
  patches('adds a list as prettier prints it', { paths: ['src/**', '*.md'] }, ['paths:', '  - src/**', '  - "*.md"']);
  patches('removes a key with its lines only', { tags: undefined, depends_on: [] }, []);
  patches('replaces a block text', { note: 'short' }, ['note: short']);

  it('orders new keys as kanban-md does', () => {
    const after = patch('---\nid: 1\ntitle: a\nstatus: todo\nclass: x\nmine: 1\n---\n', {
      updated: '2026-01-01T00:00:00Z',
      due: '2026-02-03',
      agent: 'codex',
      blocked: true,
    });
    expect(after).toBe(
      '---\nid: 1\ntitle: a\nstatus: todo\nupdated: 2026-01-01T00:00:00Z\ndue: "2026-02-03"\nblocked: true\nclass: x\nagent: codex\nmine: 1\n---\n',
    );
  });

  it('changes no other key and no byte of the rest, whatever the file looks like', () => {
    const value = fc.constantFrom(
      ' a',
      ' 007',
      ' "q # x"',
      " 'it''s'",
      '',
      ' ~',
      ' [a, b]',
      '\n  - x\n  # in\n  - y',
      '\n- x',
      ' |\n  t\n\n  u',
      ' >-\n  f',
      ' one\n  two',
      ' {a: [1]}',
      ' &k v',
      '   # only',
      ' x   # c',
    );
    const names = ['id', 'title', 'status', 'tags', 'due', 'depends_on', 'mine', 'agent'];
    const gap = fc.constantFrom('', '# c\n', '\n');
    const head = fc.uniqueArray(fc.tuple(fc.constantFrom(...names), value, gap), {
      selector: ([name]) => name,
      minLength: 1,
      maxLength: 6,
    });
    const wanted = fc.oneof(
      fc.constant(undefined),
      fc.constantFrom('x', 'yes', '12', '- #:', 'a\nb'),
      fc.constant(true),
      fc.constant(['p', '8', 'q r']),
    );
    fc.assert(
      fc.property(head, fc.constantFrom(...names), wanted, fc.boolean(), fc.boolean(), (pairs, key, change, crlf, bom) => {
        const lines = pairs.map(([name, text, before]) => `${before}${name}:${text}\n`).join('');
        const unix = `---\n${lines}---\nbody\n---\nmore`;
        const text = (bom ? '\ufeff' : '') + (crlf ? unix.replaceAll('\n', '\r\n') : unix);
        const after = patch(text, { [key]: change });
        const parts = split(after);
        if (!parts.ok) throw new Error(parts.reason);
        expect(parts.body).toBe(crlf ? 'body\r\n---\r\nmore' : 'body\n---\nmore');
        const read = readFields(parts.head);
        const expected = change === undefined ? undefined : Array.isArray(change) ? change : String(change);
        expect(read.ok && read.fields.get(key)?.value).toEqual(expected);
        // The lines of every other key are still there, byte for byte and in order.
        let from = 0;
        for (const [name, source] of pairs) {
          if (name === key) continue;
          const own = crlf ? `${name}:${source}\n`.replaceAll('\n', '\r\n') : `${name}:${source}\n`;
          const at = parts.head.indexOf(own, from);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + own.length;
        }
        expect(patch(after, { [key]: change })).toBe(after);
      }),
      { numRuns: runs(200) },
    );
  });

  it('several changes at once give what one after the other gives', () => {
    const names = ['id', 'title', 'status', 'tags', 'due', 'depends_on', 'mine', 'agent'];
    const lines = fc.uniqueArray(fc.constantFrom(...names), { maxLength: 5 });
    const value = fc.oneof(fc.constant(undefined), fc.constantFrom('x', 'a\nb'), fc.constant(['p', 'q']));
    const ranks = ['id', 'title', 'status', 'tags', 'due', 'depends_on', 'agent', 'mine'];
    fc.assert(
      fc.property(lines, fc.dictionary(fc.constantFrom(...names), value), (there, changes) => {
        const text = `---\n${there.map((name) => `${name}: old # mine\n`).join('')}---\n`;
        // In the order of their places; a key that goes goes last, since others have their place behind it.
        const place = (key: string) => ranks.indexOf(key) + (changes[key] === undefined ? ranks.length : 0);
        const keys = Object.keys(changes).toSorted((a, b) => place(a) - place(b));
        expect(patch(text, changes)).toBe(keys.reduce((now, key) => patch(now, { [key]: changes[key] }), text));
      }),
      { numRuns: runs(50) },
    );
  });

  it('puts the pieces of any file together again', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('---', '\n', '\r\n', ' ', 'a: b', '\ufeff', '<<<<<<< x', '\n---\n') }), (text) => {
        const parts = split(`---\n${text}`);
        if (parts.ok) expect(join(parts)).toBe(`---\n${text}`);
      }),
    );
  });

  it('refuses a file that it cannot read', () => {
    expect(() => patch('no frontmatter', { a: 'b' })).toThrow(/does not begin with a ---/);
    expect(() => patch('---\na: [\n---\n', { a: 'b' })).toThrow(/cannot be patched/);
  });
});

describe('notes', () => {
  const at = new Date(2026, 1, 23, 1, 4).getTime();
  const notes = (before: string, after: string) => () => expect(appendNote(before, 'It works.', at)).toBe(after);
  it(
    'come after a blank line, with kanban-md’s stamp',
    notes('---\nid: 1\n---\n\nBody.\n\n\n', '---\nid: 1\n---\n\nBody.\n\n[[2026-02-23]] Mon 01:04\nIt works.\n'),
  );
  it('can be the first of the body', notes('---\nid: 1\n---\n', '---\nid: 1\n---\n\n[[2026-02-23]] Mon 01:04\nIt works.\n'));
  it('can follow a file without a last line end', notes('---\nid: 1\n---', '---\nid: 1\n---\n\n[[2026-02-23]] Mon 01:04\nIt works.\n'));
  it('keep CRLF', notes('---\r\nid: 1\r\n---\r\nBody', '---\r\nid: 1\r\n---\r\nBody\r\n\r\n[[2026-02-23]] Mon 01:04\r\nIt works.\r\n'));
  it('about a conflict do not make the file look conflicted', () => {
    const after = appendNote('---\nid: 1\n---\n', '<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs', at);
    expect(split(after).ok).toBe(true);
  });
  it('do not touch the body that a replacement writes', () => {
    expect(replaceBody('---\r\nid: 1\r\n---\r\nold', '\nnew\ntext\n\n')).toBe('---\r\nid: 1\r\n---\r\n\r\nnew\r\ntext\r\n');
  });
});
