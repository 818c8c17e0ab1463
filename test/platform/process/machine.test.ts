import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { exitCode, FurrowError } from '../../../src/platform/error.ts';
import { atLeast, checkMachine, parseGit, parseTmux } from '../../../src/platform/machine.ts';

const path = process.env['PATH'];
const folders: string[] = [];
afterEach(() => {
  process.env['PATH'] = path;
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A PATH on which only these programs are, each saying this of itself. */
function onlyThese(programs: Record<string, string>): void {
  const folder = mkdtempSync(join(tmpdir(), 'furrow-path-'));
  folders.push(folder);
  for (const [name, says] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "${says}"\n`);
    chmodSync(join(folder, name), 0o755);
  }
  process.env['PATH'] = folder;
}

async function missing(programs: Record<string, string>): Promise<FurrowError> {
  onlyThese(programs);
  const error = await checkMachine().then(
    () => expect.unreachable(),
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(FurrowError);
  return error as FurrowError;
}

describe('the machine', () => {
  it('of whoever runs the tests is good enough', async () => {
    expect(await checkMachine()).toMatchObject({ git: expect.stringMatching(/^\d/), tmux: expect.any(String) });
  });

  it('without tmux is missing something, and says how to get it', async () => {
    const error = await missing({ git: 'git version 2.39.5' });
    expect(error.message).toBe('furrow needs tmux 3.2 or newer; this machine has none');
    expect(error.hint).toContain('install tmux');
    expect(exitCode(error)).toBe(78);
  });

  it('with an old git is missing something', async () => {
    const error = await missing({ git: 'git version 2.34.1', tmux: 'tmux 3.4' });
    expect(error.message).toBe('furrow needs git 2.38 or newer; this machine has 2.34.1');
  });

  it('asks a program again that somebody killed, and does not call it missing when it is killed every time', async () => {
    onlyThese({ git: 'git version 2.39.5', tmux: 'tmux 3.3a' });
    const [folder] = folders;
    const once = (name: string, says: string) =>
      `[ -e ${folder}/${name}.asked ] || { : > ${folder}/${name}.asked; kill -9 $$; }\necho "${says}"`;
    writeFileSync(join(folder!, 'git'), `#!/bin/sh\n${once('git', 'git version 2.39.5')}\n`);
    writeFileSync(join(folder!, 'tmux'), `#!/bin/sh\n${once('tmux', 'tmux 3.3a')}\n`);
    expect(await checkMachine()).toMatchObject({ git: '2.39.5', tmux: '3.3a' });
    writeFileSync(join(folder!, 'tmux'), '#!/bin/sh\nkill -9 $$\n');
    await expect(checkMachine()).rejects.toMatchObject({
      code: 'TRY_AGAIN',
      message: 'tmux was ended by SIGKILL when furrow asked for its version',
    });
  });
});

describe('a version', () => {
  const tmux = (output: string, ok: boolean) => () => expect(atLeast(parseTmux(output)!, '3.2')).toBe(ok);
  it('tmux 3.3a', tmux('tmux 3.3a\n', true));
  it('tmux 3.2', tmux('tmux 3.2', true));
  it('tmux 3.1c', tmux('tmux 3.1c', false));
  it('tmux 2.9', tmux('tmux 2.9', false));
  it('tmux next-3.5', tmux('tmux next-3.5', true));
  it('tmux next-3.1', tmux('tmux next-3.1', false));
  it('tmux master', tmux('tmux master', true));
  it('tmux openbsd-7.5', tmux('tmux openbsd-7.5', true));
  it('no tmux', () => expect(parseTmux('')).toBeUndefined());
  it('git of Apple', () => expect(parseGit('git version 2.39.3 (Apple Git-146)')).toEqual({ text: '2.39.3', major: 2, minor: 39 }));
  it('git of Windows', () => expect(parseGit('git version 2.45.1.windows.1')?.text).toBe('2.45.1.windows.1'));
  it('something else', () => expect(parseGit('gitoxide 0.35')).toBeUndefined());
});
