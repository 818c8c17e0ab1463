import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DriverSettings, LaunchRequest } from '../../../../src/agents/agent/driver.ts';
import { codex } from '../../../../src/agents/agent/drivers/codex/index.ts';
import { exec } from '../../../../src/platform/exec.ts';
import { requestFor } from './fake.ts';

const settings = (over: Partial<DriverSettings> = {}): DriverSettings => ({
  ...{ driver: 'codex', args: [], mode: 'window', config_home: 'user', permission: 'act' },
  ...over,
});

/**
 * Stands for `codex`: the server listens by making its socket, the terminal notes its last argument. `$1-ends` in the
 * folder says that this one ends by itself once the other is there; each notes that it was asked to end.
 */
const STANDIN = `#!${process.execPath}
const fs = require('node:fs');
const { dirname } = require('node:path');
const words = process.argv.slice(2);
const socket = words.find((word) => word.startsWith('unix://')).slice(7);
const folder = dirname(socket);
const name = words[0] === 'app-server' ? 'server' : 'terminal';
process.on('SIGTERM', () => {
  fs.writeFileSync(folder + '/' + name + '-asked', '');
  if (name === 'server') fs.rmSync(socket, { force: true });
  process.exit(0);
});
fs.writeFileSync(folder + '/' + name + '.json', JSON.stringify(words));
if (name === 'server') fs.writeFileSync(socket, '');
const watcher = fs.watch(folder, look);
look();
function look() {
  if (fs.existsSync(folder + '/terminal.json') && fs.existsSync(folder + '/' + name + '-ends')) process.exit(7);
}
`;

let base: string;
let folder: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'furrow-codex-'));
  folder = join(base, "it's ü");
  for (const path of [folder, join(base, 'bin')]) mkdirSync(path, { mode: 0o700 });
  writeFileSync(join(base, 'bin', 'codex'), STANDIN);
  chmodSync(join(base, 'bin', 'codex'), 0o755);
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

async function run(over: Partial<LaunchRequest>) {
  const launch = await codex.launch(requestFor(folder, over));
  for (const file of launch.files) writeFileSync(join(folder, file.name), file.text);
  return exec(['sh', '-c', launch.command], { cwd: base, env: { PATH: `${join(base, 'bin')}:${process.env['PATH']}` }, timeoutMs: 20_000 });
}

const wordsOf = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as string[];

describe('the launch line', () => {
  it('hands over the task byte for byte, and ends the server when the terminal ends', async () => {
    writeFileSync(join(folder, 'terminal-ends'), '');
    const prompt = `-- it's "$HOME" \`date\`\n\\n; ü & done`;
    const { code } = await run({ prompt });
    expect(code).toBe(7);
    expect(wordsOf('terminal').at(-1)).toBe(prompt);
    expect(existsSync(join(folder, 'server-asked'))).toBe(true);
  });

  it('ends the terminal when the server ends, with the server’s code', async () => {
    writeFileSync(join(folder, 'server-ends'), '');
    expect((await run({})).code).toBe(7);
    expect(existsSync(join(folder, 'terminal-asked'))).toBe(true);
  });

  it('starts no terminal beside a server that cannot start', async () => {
    writeFileSync(join(base, 'bin', 'codex'), '#!/bin/sh\nexit 3\n');
    expect((await run({})).code).toBe(3);
    expect(existsSync(join(folder, 'terminal.json'))).toBe(false);
  });

  it('points to a task that is longer than an argument may be', async () => {
    writeFileSync(join(folder, 'terminal-ends'), '');
    await run({ prompt: 'x'.repeat(300_000) });
    expect(wordsOf('terminal').at(-1)).toBe(`Your task is in the file ${join(folder, 'prompt.md')}. Read all of it, then do what it says.`);
  });

  it('gives each of the two what it decides on', async () => {
    writeFileSync(join(folder, 'terminal-ends'), '');
    const address = `unix://${join(folder, 'codex.sock')}`;
    await run({
      mcp: 'http://127.0.0.1:1/mcp',
      settings: settings({ model: 'gpt', effort: 'high', args: ['-c', 'a=1', '--sandbox=read-only', '--search'] }),
    });
    expect(wordsOf('terminal')).toEqual([
      ...[
        '--remote',
        address,
        '-C',
        '/repo/w',
        '-s',
        'read-only',
        '-a',
        'on-request',
        '-m',
        'gpt',
        '-c',
        'model_reasoning_effort="high"',
        '-c',
        'a=1',
        '--search',
        '--',
        'do it',
      ],
    ]);
    const trust = 'projects={"/repo"={trust_level="trusted"},"/repo/w"={trust_level="trusted"}}';
    const tools =
      'mcp_servers.furrow={url="http://127.0.0.1:1/mcp",bearer_token_env_var="FURROW_TOKEN",default_tools_approval_mode="approve"}';
    const config = [
      trust,
      'sandbox_mode="read-only"',
      'approval_policy="on-request"',
      'allow_login_shell=false',
      tools,
      'model_reasoning_effort="high"',
      'a=1',
    ];
    expect(wordsOf('server')).toEqual(['app-server', ...config.flatMap((one) => ['-c', one]), '--listen', address]);
  });

  it('goes on with a conversation without naming a sandbox, which codex refuses there', async () => {
    writeFileSync(join(folder, 'terminal-ends'), '');
    await run({ resume: true, session: 'abc', prompt: '' });
    expect(wordsOf('terminal')).toEqual(['resume', '--remote', `unix://${join(folder, 'codex.sock')}`, '-C', '/repo/w', 'abc']);
  });

  it('without a window starts the server alone', async () => {
    writeFileSync(join(folder, 'server-ends'), '');
    writeFileSync(join(folder, 'terminal.json'), '[]');
    expect((await run({ settings: settings({ mode: 'headless' }) })).code).toBe(7);
    expect(wordsOf('server')[0]).toBe('app-server');
    expect(wordsOf('terminal')).toEqual([]);
  });
});

describe('a configuration of its own', () => {
  it('is seeded from the user’s, readable by nobody else, and follows a new login', async () => {
    const users = join(base, 'user');
    mkdirSync(users);
    writeFileSync(join(users, 'auth.json'), 'old', { mode: 0o600 });
    const request = requestFor(folder, { settings: settings({ config_home: 'own' }), env: { CODEX_HOME: users } });
    const { env } = await codex.launch(request);
    const own = env['CODEX_HOME']!;
    expect([own, readFileSync(join(own, 'auth.json'), 'utf8')]).toEqual([join(request.home, 'codex'), 'old']);
    expect(statSync(own).mode & 0o777).toBe(0o700);
    writeFileSync(join(users, 'auth.json'), 'new');
    utimesSync(join(users, 'auth.json'), new Date(), new Date(Date.now() + 5000));
    await codex.launch(request);
    expect(readFileSync(join(own, 'auth.json'), 'utf8')).toBe('new');
  });

  it('leaves the user’s alone when it is theirs that is used', async () => {
    expect((await codex.launch(requestFor(folder))).env).toEqual({});
  });
});
