import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownGitAt, removeOwnGit } from '../../../src/repo/fence/own-git.ts';
import { gitRepo } from '../../support/repo.ts';

const REMOVES = `
  import { ownGitAt, removeOwnGit } from '${new URL('../../../src/repo/fence/own-git.ts', import.meta.url).href}';
  await removeOwnGit(ownGitAt(process.argv[1]));
`;

it("an agent's repository whose removal a kill cut short is not there, not half there", async () => {
  await using place = await gitRepo();
  const own = ownGitAt(join(place.home, 'git'));
  const objects = Array.from({ length: 30 }, (_, n) => join(own.folder, 'objects', String(n)));
  for (const folder of objects) {
    mkdirSync(folder, { recursive: true });
    for (let n = 0; n < 50; n++) writeFileSync(join(folder, String(n)), '');
  }
  writeFileSync(own.refs, '');
  const whole = () => {
    try {
      return readdirSync(join(own.folder, 'objects')).length === objects.length;
    } catch {
      return false;
    }
  };
  const removing = spawn(process.execPath, ['--input-type=module', '-e', REMOVES, own.folder], { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = once(removing, 'exit');
  while (whole());
  removing.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(existsSync(own.folder)).toBe(false);
  await removeOwnGit(own);
  expect(readdirSync(place.home)).toEqual([]);
});
