import { chmod, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { issueText } from '../../../src/repo/change-rules/content-issue.ts';
import { readSteps } from '../../../src/repo/change-rules/read.ts';
import { gitRepo, type TestRepo } from '../../support/repo.ts';

// In two parts, so that nobody's screen finds a key in this file.
const AWS = `AKIA${'Z7Q2M4N6P8R3T5V9'}`;
const GITHUB = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2'}`;
const PEM = `-----BEGIN ${'OPENSSH PRIVATE KEY'}-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n-----END`;

const LIMIT = 100_000;

/** What a person would be told of a change, and its paths. */
async function read(repo: TestRepo, change: () => Promise<unknown>) {
  const before = await repo.git('rev-parse', 'HEAD');
  await change();
  const after = await repo.commit('change');
  const [reading] = await readSteps({ root: repo.root, gitDir: join(repo.root, '.git') }, [{ before, after }], LIMIT);
  return { paths: reading!.paths, told: reading!.found.map(issueText) };
}

const files = (all: Record<string, string>) => async () => {
  await using repo = await gitRepo({ 'a.txt': 'a\n' });
  return await read(repo, async () => {
    for (const [path, text] of Object.entries(all)) await repo.write(path, text);
  });
};

describe('looks like a key', () => {
  it('by its shape, with the line, and never shows it', async () => {
    const { told } = await files({ 'src/a.ts': `one\ntwo\nconst key = "${AWS}";\n`, b: `${PEM}\n`, c: `x ${GITHUB}` })();
    expect(told.sort()).toEqual([
      'b:1 looks like a secret (private key -----BEGIN…)',
      'c:1 looks like a secret (GitHub token ghp_…)',
      'src/a.ts:3 looks like a secret (AWS access key AKIA…)',
    ]);
    expect(JSON.stringify(told)).not.toContain(AWS);
  });

  it.each([
    ['examples of documents', 'AKIAIOSFODNN7EXAMPLE'],
    ['names of style sheets', '<div class="sk-folding-cube-left-upper"> <i class="sk-circle12-fade-dot-item">'],
    ['a marker without a key', '-----BEGIN RSA PRIVATE KEY-----'],
    ['a hash', 'sha512-3f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c=='],
  ])('but not %s', async (_, text) => expect((await files({ x: text })()).told).toEqual([]));

  it('in the name of a file, and in what a link leads to', async () => {
    await using repo = await gitRepo({ 'a.txt': 'a\n' });
    const { told } = await read(repo, async () => {
      await repo.write(`notes-${GITHUB}.txt`, 'x\n');
      await symlink(`keys/${AWS}`, join(repo.root, 'link'));
    });
    expect(told.sort()).toEqual([expect.stringMatching(/link.*AWS access key AKIA…/), expect.stringMatching(/name.*GitHub token ghp_…/)]);
    expect(JSON.stringify(told)).not.toMatch(new RegExp(`${AWS}|${GITHUB}`));
  });

  it('across the border of two slices, and far down in a long file', async () => {
    const line = `${'x'.repeat(99)}\n`;
    const text = `${line.repeat(2621)}${'y'.repeat(30)} ${AWS} z\n${line.repeat(10)}`;
    await using repo = await gitRepo({ 'a.txt': 'a\n' });
    const before = await repo.git('rev-parse', 'HEAD');
    await repo.write('long.txt', text);
    const after = await repo.commit('long');
    const [reading] = await readSteps({ root: repo.root, gitDir: join(repo.root, '.git') }, [{ before, after }], 1e7);
    expect(reading!.found).toMatchObject([{ is: 'key', path: 'long.txt', line: 2622 }]);
  });

  it('is nobody’s news where the target has it already, in that file or in one that only moved', async () => {
    await using repo = await gitRepo({ 'old.env': `A=${AWS}\n`, 'keys.txt': `${GITHUB}\n` });
    const { told, paths } = await read(repo, async () => {
      await repo.write('old.env', `A=${AWS}\nB=1\n`);
      await rename(join(repo.root, 'keys.txt'), join(repo.root, 'moved.txt'));
      await repo.write('moved.txt', `${GITHUB}\nmore\n`);
    });
    expect(told).toEqual([]);
    expect([...paths].sort()).toEqual(['keys.txt', 'moved.txt', 'old.env']);
  });
});

describe('size and binaries', () => {
  it('a file over the limit and a new binary are told; a larger one that was large before is not', async () => {
    await using repo = await gitRepo({ 'was.txt': 'w'.repeat(LIMIT + 1), 'was.bin': 'a\0b' });
    const { told } = await read(repo, async () => {
      await repo.write('was.txt', 'v'.repeat(LIMIT + 2));
      await repo.write('was.bin', 'a\0c');
      await repo.write('big.txt', 'b'.repeat(LIMIT + 1));
      await writeFile(join(repo.root, 'new.png'), Buffer.from([137, 80, 78, 71, 0, 1, 2]));
      await repo.write('text.md', 'plain\n');
    });
    expect(told.sort()).toEqual(['big.txt has 98 KB', 'new.png is a new binary file of 1 KB']);
  });

  it('a text that becomes binary is told; a new name, a new mode and a link are not', async () => {
    await using repo = await gitRepo({ 'a.txt': 'a\n', 'pic.bin': 'x\0y', 'run.sh': 'true\n' });
    const { told } = await read(repo, async () => {
      await repo.write('a.txt', 'a\0');
      await rename(join(repo.root, 'pic.bin'), join(repo.root, 'picture.bin'));
      await chmod(join(repo.root, 'run.sh'), 0o755);
      await symlink('/etc/passwd', join(repo.root, 'link'));
    });
    expect(told).toEqual(['a.txt is a new binary file of 1 KB']);
  });
});

describe('scripts of a package.json', () => {
  const pack = (more: object) => JSON.stringify({ name: 'x', scripts: { test: 'vitest' }, dependencies: { a: '1' }, ...more });

  it.each([
    ['a version of a dependency', { dependencies: { a: '2' } }, []],
    ['a script', { scripts: { test: 'true' } }, ['package.json changes the scripts test']],
    [
      'a script that runs at install',
      { scripts: { test: 'vitest', postinstall: 'sh x' } },
      ['package.json changes the scripts postinstall'],
    ],
    ['hooks', { 'simple-git-hooks': { 'pre-commit': 'x' } }, ['package.json changes the scripts simple-git-hooks']],
  ])('%s', async (_, more, expected) => {
    await using repo = await gitRepo({ 'package.json': pack({}) });
    expect((await read(repo, () => repo.write('package.json', pack(more)))).told).toEqual(expected);
  });

  it('of a new package below the root count only if they run by themselves', async () => {
    const told = await files({ 'packages/a/package.json': pack({}), 'packages/b/package.json': pack({ scripts: { prepare: 'x' } }) })();
    expect(told.told).toEqual(['packages/b/package.json changes the scripts prepare']);
  });
});

it('reads many steps at once, and each has its own', async () => {
  await using repo = await gitRepo({ 'a.txt': 'a\n' });
  const before = await repo.git('rev-parse', 'HEAD');
  await repo.write('k.txt', `${AWS}\n`);
  const one = await repo.commit('key');
  await repo.write('k.txt', 'gone\n');
  const two = await repo.commit('gone');
  const steps = [before, one, before].map((from, at) => ({ before: from, after: [one, two, two][at]! }));
  const read = await readSteps({ root: repo.root, gitDir: join(repo.root, '.git') }, steps, LIMIT);
  expect(read.map(({ found }) => found.length)).toEqual([1, 0, 0]);
});
