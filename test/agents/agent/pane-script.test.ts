import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { renderScript } from '../../../src/agents/agent/pane-script.ts';
import { exec } from '../../../src/platform/exec.ts';
import { hostile } from '../../support/hostile.ts';

async function folder() {
  const dir = await mkdtemp(join(tmpdir(), 'furrow-script-'));
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) };
}

const run = (dir: string) => exec(['sh', join(dir, 'a.sh')], { env: { PATH: process.env['PATH'] ?? '' }, timeoutMs: 60_000 });

it('hands every hostile text to the command as data', async () => {
  await using at = await folder();
  const values = hostile.filter((text) => !text.includes('\0'));
  const env = Object.fromEntries(values.map((text, n) => [`V${n}`, text]));
  const command = values.map((_, n) => `printf '%s\\0' "$V${n}"`).join('; ');
  const script = {
    pidFile: join(at.dir, 'pid'),
    exitFile: join(at.dir, 'exit'),
    cwd: at.dir,
    umask: 0o022,
    env,
    jail: [],
    command: `{ ${command}; } > out`,
  };
  await writeFile(join(at.dir, 'a.sh'), renderScript(script));
  await run(at.dir);
  expect((await readFile(join(at.dir, 'out'), 'utf8')).split('\0').slice(0, -1)).toEqual(values);
});

it('does nothing when it is started a second time', async () => {
  await using at = await folder();
  const script = {
    pidFile: join(at.dir, 'pid'),
    exitFile: join(at.dir, 'exit'),
    cwd: at.dir,
    umask: 0o022,
    env: {},
    jail: [],
    command: 'echo once >> out; exit 3',
  };
  await writeFile(join(at.dir, 'a.sh'), renderScript(script));
  await Promise.all([run(at.dir), run(at.dir), run(at.dir)]);
  expect(await readFile(join(at.dir, 'out'), 'utf8')).toBe('once\n');
  expect(await readFile(join(at.dir, 'exit'), 'utf8')).toBe('3\n');
});

it('only the user reads the files of furrow, and the agent makes its own by the umask of the user', async () => {
  await using at = await folder();
  const [pidFile, exitFile] = [join(at.dir, 'pid'), join(at.dir, 'exit')];
  const script = { pidFile, exitFile, cwd: at.dir, umask: 0o027, env: {}, jail: [], command: 'echo x > own; echo y > own' };
  await writeFile(join(at.dir, 'a.sh'), renderScript(script));
  await run(at.dir);
  const modes = await Promise.all(['pid', 'exit', 'own'].map(async (name) => ((await stat(join(at.dir, name))).mode & 0o777).toString(8)));
  expect(modes).toEqual(['600', '600', '640']);
});
