import { describe, expect, it } from 'vitest';
import { determines, installParts, namedPaths } from '../../../src/repo/setup/files.ts';
import { type KeyParts, keyOf } from '../../../src/repo/setup/key.ts';
import { differences, outermost } from '../../../src/repo/setup/manifest.ts';
import { managersAtOnce } from '../../../src/repo/setup/setups.ts';
import { splitCommands } from '../../../src/repo/setup/split-commands.ts';
import { retired } from '../../../src/repo/setup/template.ts';
import { toolsOf } from '../../../src/repo/setup/tools.ts';

const parts: KeyParts = { commands: ['npm ci'], files: [['package-lock.json', '1']], tools: ['npm 10'], platform: 'linux x64' };

describe('the key of a set-up', () => {
  it.each<[string, Partial<KeyParts>]>([
    ['a lockfile', { files: [['package-lock.json', '2']] }],
    ['one more lockfile', { files: [...parts.files, ['a/package-lock.json', '1']] }],
    ['a command', { commands: ['npm ci --ignore-scripts'] }],
    ['the version of a tool', { tools: ['npm 11'] }],
    ['the machine', { platform: 'darwin arm64' }],
  ])('changes with %s', (_name, change) => {
    expect(keyOf({ ...parts, ...change })).not.toBe(keyOf(parts));
  });

  it('does not change with the order of files', () => {
    const files = [
      ['a', '1'],
      ['b', '2'],
    ] as const;
    expect(keyOf({ ...parts, files })).toBe(keyOf({ ...parts, files: files.toReversed() }));
  });

  it.each([
    'package.json',
    'web/pnpm-lock.yaml',
    'requirements-dev.txt',
    'requirements/base.txt',
    'crates/a/Cargo.toml',
    '.tool-versions',
    'gradle/wrapper/gradle-wrapper.properties',
    'proto/x.proto',
    'tools/setup.sh',
  ])('is decided by %s', (path) => {
    expect(determines(path, ['proto/**'], namedPaths(['sh ./tools/setup.sh && true']))).toBe(true);
  });

  it.each(['src/index.ts', 'docs/package.json.md', 'README.md', 'requirements.md'])('is not decided by %s', (path) => {
    expect(determines(path, ['proto/**'], namedPaths(['npm ci']))).toBe(false);
  });

  it('reads of package.json what an install reads', () => {
    const text = (scripts: object, more = {}) => JSON.stringify({ name: 'a', scripts, dependencies: { b: '1' }, ...more });
    expect(installParts(text({ test: 'vitest' }))).toBe(installParts(text({ test: 'jest', lint: 'biome' }, { description: 'x' })));
    expect(installParts(text({ postinstall: 'a' }))).not.toBe(installParts(text({ postinstall: 'b' })));
    expect(installParts(text({}, { dependencies: { b: '2' } }))).not.toBe(installParts(text({})));
    expect(installParts('{ broken')).toBe('{ broken');
  });

  it('knows the tools of a command, and the files that it names', () => {
    expect(toolsOf(['cd web && npm ci', './gradlew deps'])).toEqual(['java', 'node', 'npm']);
    expect([...namedPaths(['pip install -r ci/deps.txt', 'make deps'])]).toEqual(expect.arrayContaining(['ci/deps.txt', 'Makefile']));
  });
});

describe('set-up', () => {
  it('keeps commands that name a variable of the agent out of templates', () => {
    const commands = ['npm ci', 'createdb "app_$FURROW_AGENT"', 'echo $'.concat('{PORT} > port'), 'psql $DATABASE_URL', 'echo $PORTAL'];
    const { shared, personal } = splitCommands(commands, ['DATABASE_URL']);
    expect(shared).toEqual(['npm ci', 'echo $PORTAL']);
    expect(personal).toHaveLength(3);
  });

  it('runs as many package managers at a time as the machine bears', () => {
    const gb = 2 ** 30;
    expect([managersAtOnce(1, gb), managersAtOnce(8, 64 * gb), managersAtOnce(64, 64 * gb), managersAtOnce(64, 4 * gb)]).toEqual([
      1, 4, 4, 2,
    ]);
  });

  it('finds what differs from how it was cloned, and names a folder instead of all that is in it', () => {
    const before = new Map([
      ['n', 'd 755'],
      ['n/a', 'f 1'],
      ['n/b', 'd 755'],
      ['n/b/c', 'f 2'],
    ]);
    const after = new Map([
      ['n', 'd 755'],
      ['n/a', 'f 9'],
      ['n/new', 'd 755'],
      ['n/new/x', 'f 3'],
    ]);
    expect(differences(before, after)).toEqual(['n/a', 'n/b', 'n/new']);
    expect(outermost(['a', 'a.b', 'a/c', 'a.b/d'])).toEqual(['a.b', 'a']);
  });

  it('retires templates that nobody used for a week, and those past the newest few, but none in use', () => {
    const day = 24 * 3600_000;
    const all = [0, 1, 8, 9, 10].map((days) => ({ folder: `/t/${days}`, used: 100 * day - days * day }));
    expect(retired(all, 100 * day, new Set(['9'])).map(({ folder }) => folder)).toEqual(['/t/8', '/t/10']);
    const many = Array.from({ length: 12 }, (_, n) => ({ folder: `/t/${n}`, used: 100 * day - n }));
    expect(retired(many, 100 * day, new Set())).toHaveLength(4);
  });
});
