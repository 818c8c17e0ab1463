import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { configKeys } from '../../src/config/keys.ts';
import { commandHelp, overview } from '../../src/faces/cli/help.ts';
import { commands } from '../../src/faces/cli/table.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');

/** The words of the last column of CONTEXT.md, each with the word to use instead. */
function wordsToAvoid(): Map<string, string> {
  const rows = [...read('CONTEXT.md').matchAll(/^\| ([^|]+) \| [^|]* \| ([^|]*) \|$/gm)].filter(([, word]) => word !== 'word');
  const pairs = rows.flatMap(([, word, not]) =>
    not!
      .replace(/\([^)]*\)/g, '')
      .split(',')
      .map((one) => [one.trim(), word!] as const),
  );
  return new Map(pairs.filter(([one]) => one !== ''));
}

/** To be avoided in one meaning only: they are everyday words, names of git, tmux, the shell or the board, or our word for something else. */
const ALSO_RIGHT = new Set(
  [
    'active cache check claim command container current effect id job key lock merge output path policy result round run sandbox',
    'snapshot stash state status step tag term test tip transaction type version view window workspace',
    // Of the board, of a forge, of agents and of what is not built yet.
    'backlog issue label backup tail',
  ].flatMap((line) => line.split(' ')),
);
const guarded = [...wordsToAvoid()].filter(([word]) => !ALSO_RIGHT.has(word));

const escaped = (word: string) => word.replaceAll(/[.*+?]/g, '\\$&');
/** The sentences of a text that use a word; a part of a longer name, `e-mail` or `--batch-mode`, is not that word. */
function uses(text: string, word: string): string[] {
  const found = new RegExp(`(?<![\\w-])${escaped(word)}(s|es|d|ed)?(?![\\w-])`, /[A-Z]/.test(word) ? '' : 'i');
  return text.split('\n').filter((line) => found.test(line));
}

/** Prose: without blocks and spans of code. */
const prose = (text: string) =>
  text
    .replace(/```[\s\S]*?```/g, '')
    .replace(/^ {4}.*$/gm, '')
    .replace(/`[^`\n]*`/g, '');

/** Texts of a source of four words and more: what is shorter is a name, and SQL is not for people. */
function sentences(source: string): string {
  const code = source
    .replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')
    .replace(/\$\{[^{}]*\}/g, 'X')
    .replace(/\$\{[^{}]*\}/g, 'X');
  const texts = [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)].map(([, plain, template]) => plain ?? template!);
  return texts.filter((text) => text.split(' ').length >= 4).join('\n');
}

/** Texts between the tags of a component, and in its attributes: all of them are shown, also single words. */
function inTags(source: string): string {
  const code = source.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '').replace(/=>/g, '');
  const between = [...code.matchAll(/>([^<>{}]+)(?=[<{])|}([^<>{}]+)(?=[<{])/g)].map(([, first, next]) =>
    (first ?? next)!.replace(/\s+/g, ' '),
  );
  const attributes = [...code.matchAll(/(?:title|label|placeholder)="([^"]*)"/g)].map(([, text]) => text!);
  return [...between.filter((text) => !/[=;()]|&&/.test(text)), ...attributes].join('\n');
}

const documents = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', ...inFolder('docs', '.md')];
const components = inFolder('page', '.tsx');
const sources = [
  ...inFolder('src', '.ts').filter((path) => !path.endsWith('/journal/tables.ts')),
  ...inFolder('page', '.ts'),
  ...components,
];

function inFolder(folder: string, ending: string): string[] {
  return readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`);
}

const help = [
  overview(commands),
  ...commands.map((command) => commandHelp(command, commands)),
  ...configKeys().map((key) => `${key.type}\n${key.description}`),
];
const texts: [where: string, text: string][] = [
  ...documents.map((path): [string, string] => [path, prose(read(path))]),
  ...sources.map((path): [string, string] => [path, sentences(read(path))]),
  ...components.map((path): [string, string] => [path, inTags(read(path))]),
  ['furrow --help', help.join('\n')],
];

describe('a word that CONTEXT.md avoids', () => {
  it.each(guarded)('%s is in no message, help or document: it is called %s', (word) => {
    expect(texts.flatMap(([where, text]) => uses(text, word).map((line) => `${where}: ${line.trim()}`))).toEqual([]);
  });

  it('is looked for where it can be told, and most can', () => {
    expect([...ALSO_RIGHT].filter((word) => !wordsToAvoid().has(word))).toEqual([]);
    expect(guarded.length).toBeGreaterThan(60);
  });

  it.each([
    ['a ticket in prose', prose('Take a ticket.'), 'ticket'],
    ['several', prose('Two tickets'), 'ticket'],
    ['one in a message', sentences("throw new Error('the worker of X has gone');"), 'worker'],
    ['one between tags', inTags('<p>\n  No worker\n  is here. <b>x</b>\n</p>'), 'worker'],
    ['one behind a value', inTags('<p>\n{n} workers</p>'), 'worker'],
    ['one in an attribute', inTags('<button title="Stop the worker" />'), 'worker'],
    ['one in a template', sentences('say(`no worker has task X now`)'), 'worker'],
  ])('is found: %s', (_what, text, word) => expect(uses(text, word)).toHaveLength(1));

  it.each([
    ['code in prose', prose('`ticket`\n```\nticket\n```\n    ticket\n'), 'ticket'],
    ['a name', sentences("const kind = 'worker';"), 'worker'],
    ['a type', inTags('const seen = new Map<string, worker>(); if (a > worker && b < c) d();'), 'worker'],
    ['a comment', sentences('// the worker of an agent has gone'), 'worker'],
    ['a longer word', 'e-mail, mailbox', 'mail'],
    ['another case of a short one', 'pr', 'PR'],
  ])('is not taken for one: %s', (_what, text, word) => expect(uses(text, word)).toEqual([]));
});

/**
 * Words that had several meanings, and the folders in which each has its one; elsewhere an exported name or a file has another word.
 * `guard` is only the level of isolation, and so no name at all.
 */
const ONE_MEANING: Readonly<Record<string, readonly string[]>> = {
  guard: [],
  // A drawing: the stack, the timeline, a plot.
  picture: ['page/', 'src/tell/report/plot/', 'src/faces/demo/'],
  // What quarantine knows of an entry. To mark something, as in `markHanded`, is an everyday verb.
  mark: ['src/queue/'],
  // How a notice is told.
  channel: ['src/tell/notice/'],
  // Whether an act is done: its half of the host, and what that asks git.
  probe: ['src/journal/', 'src/daemon/', 'src/repo/merge/'],
  // Of a reviewer.
  finding: ['src/queue/review/', 'src/daemon/leader/review/'],
  // Of a terminal.
  screen: ['src/agents/', 'src/daemon/', 'src/faces/', 'src/platform/tmux/'],
};

/** The words of a name: `probePush` is `probe push`, `own-git.ts` is `own git ts`. */
const partsOf = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
const exportedIn = (source: string) =>
  [...source.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm)]
    .map(([, name]) => name!)
    .filter((name) => !isVerb(name));
const isVerb = (name: string) => /^mark(?!Of)[A-Z]/.test(name);

describe('a word with one meaning', () => {
  const names = sources.flatMap((path) => [path, ...exportedIn(read(path))].map((name) => ({ path, parts: partsOf(name) })));

  it.each(Object.entries(ONE_MEANING))('%s names nothing elsewhere', (word, homes) => {
    const stray = names.filter(
      ({ path, parts }) => (parts.includes(word) || parts.includes(`${word}s`)) && !homes.some((home) => path.startsWith(home)),
    );
    expect(stray.map(({ path, parts }) => `${path}: ${parts.join(' ')}`)).toEqual([]);
  });

  it.each(Object.keys(ONE_MEANING))('%s has at most one entry in CONTEXT.md', (word) => {
    expect([...read('CONTEXT.md').matchAll(new RegExp(`^\\| ${word}\\b[^|]*\\|`, 'gm'))].length).toBeLessThanOrEqual(1);
  });

  it('is found in names of every form', () => {
    expect(partsOf('probePush')).toContain('probe');
    expect(partsOf('src/own-guard.ts')).toContain('guard');
    expect(exportedIn('export const screenOf = 1;\nexport interface Mark {}')).toEqual(['screenOf', 'Mark']);
  });
});
