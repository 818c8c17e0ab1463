import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exec } from '../../../src/platform/exec.ts';
import { parseConfig } from '../../../src/platform/git/config-text.ts';
import { runs } from '../../support/all.ts';

const env = { PATH: process.env['PATH'] ?? '', GIT_DIR: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };

/** The settings as git itself lists them; undefined where it does not understand the text. */
async function byGit(text: string) {
  const input = Buffer.from(text, 'latin1');
  const done = await exec(['git', 'config', '--file', '-', '--list', '-z'], {
    cwd: '/',
    env,
    input,
    timeoutMs: 10_000,
    encoding: 'latin1',
  });
  if (done.code !== 0) return undefined;
  return done.stdout
    .split('\0')
    .slice(0, -1)
    .map((bytes) => {
      const item = isUtf8(Buffer.from(bytes, 'latin1')) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
      const cut = item.indexOf('\n');
      return cut < 0 ? { key: item, value: undefined } : { key: item.slice(0, cut), value: item.slice(cut + 1) };
    });
}

/** Pieces that configuration is made of, and pieces that spoil it. */
const PIECES = [
  ...['[core]', '[Core "A b"]', '[old.Style]', '[filter ""]', '[a "q\\"u\\\\o"]', '[a  "x"]', '[a\t"y"]', '[broken', '[a"b"]', '[a "b" ]'],
  ...['\n', '\r\n', '\r', ' ', '\t', '\\\n', '\\', '"', '#', ';', '=', ']', 'x', 'hooksPath', 'Key-1 = v', 'k=a b ; c', 'k = "a ; b"', 'k'],
  ...[
    'k = "a',
    'k=a\\tb\\n',
    'k = a \\\n  b',
    'k=\\q',
    '_k=1',
    '1k=1',
    'name : x',
    '\xc3\xa9',
    '\xff\xfe',
    '\xef\xbb\xbf',
    'k = !sh -c "x"',
    'k=',
  ],
];

it('reads a configuration as git does, whatever is in it', async () => {
  const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(''));
  const sane = fc
    .array(fc.tuple(fc.constantFrom(...PIECES.slice(0, 7)), fc.constantFrom(...PIECES)), { maxLength: 5 })
    .map((parts) => parts.map(([section, piece]) => `${section}\n\t${piece}\n`).join(''));
  await fc.assert(
    fc.asyncProperty(fc.oneof(texts, sane), async (text) => {
      const found = parseConfig(text);
      // Newer gits keep tabs inside of values, older ones make spaces of them.
      const plain = (list: Awaited<ReturnType<typeof byGit>>) =>
        list?.map(({ key, value }) => [key, value?.replace(/[ \t\r]+/g, ' ').trim()]);
      expect(plain(found)).toEqual(plain(await byGit(text)));
    }),
    { numRuns: runs(20) },
  );
});

it.each([
  ['[Core]\n\tHooksPath = "a b" ; words\n', [{ key: 'core.hookspath', value: 'a b' }]],
  ['[remote "Or\\"igin"] url=x\n', [{ key: 'remote.Or"igin.url', value: 'x' }]],
  ['[filter ""]\nclean = evil', [{ key: 'filter..clean', value: 'evil' }]],
  ['[a]\nswitch\n', [{ key: 'a.switch', value: undefined }]],
  ['[a]\nk = b\0c\n', undefined],
  ['\x7fELF\x02\x01', undefined],
])('%j', (text, expected) => {
  expect(parseConfig(text)).toEqual(expected);
});
