import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ENDED } from '../../../src/agents/agent/pane-script.ts';
import { lastLine } from '../../../src/daemon/host/agents/terminal-log.ts';

const SCRIPT = "console.log('at work'); require('node:child_process').execSync('git commit', { cwd: '/', stdio: 'ignore' });";

it('tells the error of a Node that crashed, and not the version of Node, which is its last line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'furrow-log-'));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  const { stderr, stdout } = spawnSync(process.execPath, ['-e', SCRIPT], { encoding: 'utf8' });
  const log = join(folder, 'log');
  writeFileSync(log, `${stdout}${stderr}${ENDED} 1\n`);
  expect(stderr.trim().split('\n').at(-1)).toMatch(/^Node\.js v/);
  expect(await lastLine(log)).toBe('Error: Command failed: git commit');
  writeFileSync(log, `Error: an old one\nno quota is left\n${ENDED} 1\n`);
  expect(await lastLine(log)).toBe('no quota is left');
});
