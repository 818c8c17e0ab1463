import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readPlainFields } from '../../../src/work/task/fields-plain.ts';
import { readYamlFields } from '../../../src/work/task/fields-yaml.ts';
import { patchByParser, patchYaml } from '../../../src/work/task/patch-yaml.ts';
import { printFlow, printScalar } from '../../../src/work/task/print-yaml.ts';
import { runs } from '../../support/all.ts';

const key = fc.constantFrom('id', 'title', 'status', 'tags', 'depends_on', 'due', 'blocked', 'x-y', 'note');
const text = fc.oneof(
  fc.constantFrom(
    '007',
    '1e3',
    'yes',
    'null',
    '~',
    '',
    'Fix: it',
    'a #b',
    'a#b',
    '- a',
    '"q"',
    "'s'",
    '"a\\nb"',
    "it''s",
    '[1, 2]',
    '[a,b]',
    '[]',
  ),
  fc.constantFrom(
    '{a: 1}',
    '*x',
    '&x v',
    '!!str 7',
    '|',
    '>-',
    '2026-03-15',
    '"2026-03-15"',
    'a: b',
    'a:',
    '`x`',
    '@x',
    '%x',
    '...',
    '.5',
    '(x)',
    '? a',
  ),
  fc.constantFrom(
    '"a" b',
    "'a' b",
    '"a" # c',
    '[a, b] # c',
    '[a b, c]',
    '[1 2]',
    '[a: b]',
    '[-x]',
    '[x-]',
    '[x.]',
    '[x/*]',
    '[*x]',
    '[,]',
    '[a,]',
    'a  b',
    'a\tb',
    'é: ü',
    '日本',
    '\u202ebad',
    '\x1b[31m',
  ),
  fc.string({ unit: fc.constantFrom(...'ab0 :#-[]{}"\'\\,&*!|>%@`./~?é\t'), maxLength: 12 }),
);
const line = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(key, fc.constantFrom(': ', ':', ':  '), text).map(([k, colon, t]) => `${k}${colon}${t}`) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom('- ', '    - ', '  - ', '-   ', '  -'), text).map(([dash, t]) => dash + t) },
  { weight: 1, arbitrary: fc.constantFrom('', '  ', '# comment', '  # comment', '  more', '---', '...', '\t', 'plain') },
);
const source = fc
  .tuple(fc.array(line, { maxLength: 7 }), fc.constantFrom('\n', '\r\n'))
  .map(([lines, eol]) => lines.map((each) => each + eol).join(''));

/** What the patch gives, or its reason not to. */
function patched(...[patch, text, changes, eol]: [typeof patchYaml, ...Parameters<typeof patchYaml>]): string {
  try {
    return patch(text, changes, eol);
  } catch (error) {
    return (error as Error).message;
  }
}

describe('reading fields', () => {
  it('gives the same answer by the fast reader as by the YAML parser, whenever the fast one answers', () => {
    let answered = 0;
    fc.assert(
      fc.property(source, (text) => {
        const plain = readPlainFields(text);
        if (!plain) return;
        answered++;
        const real = readYamlFields(text);
        expect(real.ok ? [...real.fields] : real).toEqual([...plain]);
      }),
      { numRuns: runs(600) },
    );
    expect(answered).toBeGreaterThan(runs(60));
  });

  it('takes the usual kanban-md frontmatter without the YAML parser', () => {
    const usual = `id: 2\ntitle: Spawn N parallel agents (fast)\ncreated: 2026-02-22T10:00:00Z\nupdated: 2026-02-23T00:57:58.479842145-05:00\ntags:\n    - core\ndue: "2026-03-15"\ndepends_on:\n    - 1\nclass: standard\n`;
    expect(readPlainFields(usual)?.size).toBe(8);
  });

  it('patches to the same text by the fast reader as by the YAML parser', () => {
    const given = fc.constantFrom(
      '',
      ' ',
      ' a b',
      ' "q # x"  ',
      ' ~',
      ' [a, b]',
      ' []',
      '\n  - x\n  - y',
      '\n- x',
      '\n  # in\n    - x\n\n    - "2"',
    );
    const gap = fc.constantFrom('', '', '# c\n', '\n');
    const usual = fc
      .tuple(
        fc.uniqueArray(fc.tuple(key, given, gap), { selector: ([name]) => name, maxLength: 6 }),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
      )
      .map(([pairs, eol, ended]) => {
        const lines = pairs.map(([name, value, before]) => `${before}${name}:${value}\n`).join('');
        return (ended ? lines : lines.slice(0, -1)).replaceAll('\n', eol);
      });
    const value = fc.oneof(fc.constantFrom(undefined, null, 'x', 'a\nb', '7', true, []), fc.constant(['p', 'q r']));
    const changes = fc.dictionary(fc.oneof(key, fc.constantFrom('agent', 'mine')), value, { minKeys: 1, maxKeys: 3 });
    let compared = 0;
    fc.assert(
      fc.property(fc.oneof(usual, source), changes, (whole, wanted) => {
        if (!readPlainFields(whole)) return;
        compared++;
        const eol = whole.includes('\r\n') ? '\r\n' : '\n';
        expect(patched(patchYaml, whole, wanted, eol)).toBe(patched(patchByParser, whole, wanted, eol));
      }),
      { numRuns: runs(600) },
    );
    expect(compared).toBeGreaterThan(runs(200));
  });

  it('takes the usual kanban-md frontmatter without the YAML parser', () => {
    const usual = `id: 2\ntitle: Spawn N parallel agents (fast)\ncreated: 2026-02-22T10:00:00Z\nupdated: 2026-02-23T00:57:58.479842145-05:00\ntags:\n    - core\ndue: "2026-03-15"\ndepends_on:\n    - 1\nclass: standard\n`;
    expect(readPlainFields(usual)?.size).toBe(8);
  });

  it('and a patch by either is the same', () => {
    const value = fc.oneof(fc.constantFrom(undefined, null, 'x', 'a\nb', '7', true, []), fc.constant(['p', 'q r']));
    let compared = 0;
    fc.assert(
      fc.property(source, fc.dictionary(key, value, { maxKeys: 3 }), fc.boolean(), (text, changes, ended) => {
        const whole = ended && !text.endsWith('\n') ? `${text}\n` : text;
        if (!readPlainFields(whole)) return;
        compared++;
        const eol = whole.includes('\r\n') ? '\r\n' : '\n';
        expect(patched(patchYaml, whole, changes, eol)).toBe(patched(patchByParser, whole, changes, eol));
      }),
      { numRuns: runs(1000) },
    );
    expect(compared).toBeGreaterThan(runs(100));
  });

  it('prints every text so that YAML 1.1 and 1.2 read that very text back', () => {
    const word = fc.oneof(text, fc.string({ unit: 'binary', maxLength: 20 }), fc.stringMatching(/^[0-9._:eExXoO+-]{1,10}$/));
    fc.assert(
      fc.property(word, (value) => {
        for (const version of ['1.1', '1.2'] as const) {
          expect(parse(`title: ${printScalar('title', value)}\n`, { version, logLevel: 'error' })).toEqual({ title: value });
          expect(parse(`tags: ${printFlow('tags', [value, 'x'])}\n`, { version, logLevel: 'error' })).toEqual({ tags: [value, 'x'] });
        }
      }),
      { numRuns: runs(300) },
    );
  });

  const prints = (key: string, value: string, printed: string) => () => expect(printScalar(key, value)).toBe(printed);
  it('quotes what looks like a number', prints('title', '007', '"007"'));
  it('quotes what looks like a float', prints('title', '1234567e8', '"1234567e8"'));
  it('quotes what looks like a boolean', prints('status', 'yes', '"yes"'));
  it('quotes a date, as kanban-md does', prints('due', '2026-03-15', '"2026-03-15"'));
  it('leaves prose bare', prints('title', 'Fix the bug (soon), please', 'Fix the bug (soon), please'));
  it('leaves kanban-md its integer ids', prints('depends_on', '12', '12'));
  it('leaves kanban-md its times', prints('updated', '2026-02-22T10:00:00.000Z', '2026-02-22T10:00:00.000Z'));
});
