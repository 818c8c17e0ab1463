import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LaunchRequest } from '../../../../src/agents/agent/driver.ts';
import { claude } from '../../../../src/agents/agent/drivers/claude/index.ts';
import { exec } from '../../../../src/platform/exec.ts';
import { runs } from '../../../support/all.ts';
import { type Place, place, recorded } from './support.ts';

/** Writes down what it was started with, byte for byte, and ends as it is told to. */
const STAND_IN = `#!/bin/sh
: > "$SEEN"
for word in "$@"; do printf '%s\\0' "$word" >> "$SEEN"; done
[ -t 0 ] || cat > "$SEEN.stdin"
printf '{"type":"result","total_cost_usd":0.5}\\n'
exit "\${CODE:-0}"
`;

/** Starts the line as an attempt's script does, with a program called \`claude\` that only takes note. */
async function started(here: Place, request: LaunchRequest, env: Record<string, string> = {}) {
  const bin = join(here.base, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'claude'), STAND_IN);
  await chmod(join(bin, 'claude'), 0o755);
  await writeFile(request.promptFile, request.prompt);
  const launch = await claude.launch(request);
  for (const { name, text, mode } of launch.files) await writeFile(join(request.folder, name), text, { mode: mode ?? 0o600 });
  const seen = join(here.base, 'seen');
  const all = { ...request.env, ...launch.env, SEEN: seen, ...env, PATH: `${bin}:${request.env['PATH']}` };
  const done = await exec(['sh', '-c', launch.command], { cwd: request.worktree, env: all, timeoutMs: 60_000, input: '' });
  const words = (await readFile(seen, 'utf8')).split('\0').slice(0, -1);
  return { launch, done, words, stdin: await readFile(`${seen}.stdin`, 'utf8') };
}

describe('claude in a window', () => {
  it('is told its task as the last word, byte for byte', async () => {
    await using here = await place();
    const task = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && Buffer.from(text).toString() === text);
    await fc.assert(
      fc.asyncProperty(task, async (prompt) => {
        const { words } = await started(here, here.request({ prompt }));
        expect(words.slice(-2)).toEqual(['--', prompt]);
      }),
      {
        numRuns: runs(4),
        examples: [['two newlines at the end\n\n'], [`--resume 'quotes' "$HOME" \`id\` $(id) \\ ;\r\n`], ['.'], ['é'.repeat(49_999)]],
      },
    );
  });

  it('is pointed to a task that is too long for an argument', async () => {
    await using here = await place();
    const request = here.request({ prompt: 'é'.repeat(50_001) });
    const { words } = await started(here, request);
    expect(words.at(-1)).toContain(request.promptFile);
    const settings = JSON.parse(await readFile(join(request.folder, 'settings.json'), 'utf8'));
    expect(settings.permissions.allow).toEqual([`Read(/${request.promptFile})`, 'mcp__furrow']);
  });

  it('begins a conversation of its own, or goes on with one', async () => {
    await using here = await place();
    const settings = { model: 'sonnet', effort: 'high', args: ['--add-dir', 'a b'] };
    const first = await started(here, here.request({ settings }));
    const request = here.request();
    const [settingsFile, mcpFile] = ['settings.json', 'mcp.json'].map((name) => join(request.folder, name));
    expect(first.words).toEqual([
      ...['--session-id', request.session, '--settings', settingsFile, '--mcp-config', mcpFile, '--permission-mode', 'acceptEdits'],
      ...['--model', 'sonnet', '--effort', 'high', '--add-dir', 'a b', '--', 'do it'],
    ]);
    const second = await started(here, here.request({ resume: true }));
    expect(second.words.slice(0, 2)).toEqual(['--resume', request.session]);
  });

  it('speaks to the daemon by hooks, with a secret that is in no file and no argument', async () => {
    await using here = await place();
    const request = here.request();
    const { launch, words } = await started(here, request);
    const { hooks } = JSON.parse(launch.files[0]!.text);
    expect(hooks.Stop[0].hooks[0]).toEqual({
      type: 'http',
      url: 'http://127.0.0.1:8765/hook/7/Stop',
      headers: { 'x-furrow': '$FURROW_TOKEN' },
      allowedEnvVars: ['FURROW_TOKEN'],
      timeout: 20,
    });
    expect(hooks.PermissionRequest[0].hooks[0].timeout).toBe(3600);
    expect(hooks.SessionStart[0].hooks[0]).toMatchObject({
      type: 'command',
      command: `'node' 'relay.js' 'http://127.0.0.1:8765/hook/7' 'SessionStart'`,
    });
    const written = [launch.command, JSON.stringify(launch.env), ...launch.files.map((file) => file.text), ...words];
    expect(written.filter((text) => text.includes('a-very-secret-token'))).toEqual([]);
    expect(launch.env).not.toHaveProperty('IS_SANDBOX');
    expect(await readFile(here.config, 'utf8')).toBe('{"hasCompletedOnboarding":true,"theme":"light"}');
  });

  it('ends where one turn does; headless where the process does', () => {
    const settings = { driver: 'claude', args: [], config_home: 'user', permission: 'act' } as const;
    expect(claude.ends({ ...settings, mode: 'window' })).toBe('turn');
    expect(claude.ends({ ...settings, mode: 'headless' })).toBe('exit');
  });
});

describe('claude without a screen', () => {
  it('reads its task, shows what it says, keeps it, and ends with its own exit code', async () => {
    await using here = await place();
    const request = here.request({ prompt: 'x'.repeat(300_000), settings: { mode: 'headless' } });
    const { stdin, words, done } = await started(here, request, { CODE: '3' });
    expect(stdin).toBe(request.prompt);
    expect(words.slice(-4)).toEqual(['-p', '--output-format', 'stream-json', '--verbose']);
    expect(done.code).toBe(3);
    expect(done.stdout).toBe(await readFile(join(request.folder, 'stream.jsonl'), 'utf8'));
  });
});

describe('the status line', () => {
  const status = `${JSON.stringify(JSON.parse(recorded('status.json')))}\n`;
  const run = async (here: Place, request: LaunchRequest, input: string) => {
    const { launch } = await started(here, request);
    const line = JSON.parse(launch.files[0]!.text).statusLine.command as string;
    return exec(['sh', '-c', line], { env: { PATH: request.env['PATH']! }, timeoutMs: 60_000, input });
  };

  it('is kept whole, with the first one of the process', async () => {
    await using here = await place();
    const request = here.request();
    expect((await run(here, request, status)).stdout).toBe('');
    await run(here, request, status.replace('0.32382', '0.5'));
    const at = (which: string) => readFile(join(request.folder, `status.${process.pid}.${which}`), 'utf8');
    expect([await at('first'), await at('last')]).toEqual([status, status.replace('0.32382', '0.5')]);
    expect((await readdir(request.folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it("still shows the user's own", async () => {
    await using here = await place();
    await mkdir(join(here.user, '.claude'));
    await writeFile(
      join(here.user, '.claude/settings.json'),
      JSON.stringify({ statusLine: { type: 'command', command: `printf 'mine: '; cat` } }),
    );
    expect((await run(here, here.request(), status)).stdout).toBe(`mine: ${status}`);
  });
});

describe('a configuration of its own', () => {
  const own = { settings: { config_home: 'own' } } as const;

  it("has the user's login and settings, and trust in this repository alone", async () => {
    const theirs = {
      hasCompletedOnboarding: true,
      theme: 'light',
      oauthAccount: { id: 1 },
      projects: { '/secret': {} },
      mcpServers: { x: {} },
    };
    await using here = await place(theirs);
    await mkdir(join(here.user, '.claude'));
    await writeFile(join(here.user, '.claude/.credentials.json'), '{"token":"t"}');
    await writeFile(join(here.user, '.claude/settings.json'), '{"model":"opus"}');
    const request = here.request(own);
    const { env } = await claude.launch(request);
    const folder = join(request.home, 'claude');
    expect(env['CLAUDE_CONFIG_DIR']).toBe(folder);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await readFile(join(folder, '.credentials.json'), 'utf8')).toBe('{"token":"t"}');
    expect(await readFile(join(folder, 'settings.json'), 'utf8')).toBe('{"model":"opus"}');
    const trusted = { hasTrustDialogAccepted: true };
    const { projects: _, mcpServers: __, ...login } = theirs;
    expect(JSON.parse(await readFile(join(folder, '.claude.json'), 'utf8'))).toEqual({
      ...login,
      projects: { [request.root]: trusted, [request.worktree]: trusted },
    });
    expect(JSON.parse(await readFile(here.config, 'utf8'))).toEqual(theirs);
  });

  it('keeps what the agent changed there', async () => {
    await using here = await place();
    const request = here.request(own);
    const file = join(request.home, 'claude/.claude.json');
    await claude.launch(request);
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), theme: 'dark', numStartups: 4 }));
    await claude.launch(request);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ theme: 'dark', numStartups: 4 });
  });
});

describe('somebody who never set claude up', () => {
  const refused = (key: boolean, settings: object, hint: RegExp) => async () => {
    await using here = await place({});
    const env = { ...here.request().env, ...(key && { ANTHROPIC_API_KEY: 'k'.repeat(40) }) };
    const launch = claude.launch(here.request({ env, settings }));
    await expect(launch).rejects.toMatchObject({ code: 'CLAUDE_LOGIN', hint: expect.stringMatching(hint) });
  };
  it('is told to log in', refused(false, {}, /^claude \(once, to log in\)$/));
  it('is told to log in, with a configuration of its own too', refused(false, { config_home: 'own' }, /log in/));
  it('is told so in a window, where a key does not skip the first questions', refused(true, {}, /config_home: own/));

  it('may work with a key without a screen, or with a configuration of its own', async () => {
    await using here = await place({});
    const env = { ...here.request().env, ANTHROPIC_API_KEY: `secret-part-of-it-${'k'.repeat(20)}` };
    await claude.launch(here.request({ env, settings: { mode: 'headless' } }));
    const request = here.request({ env, settings: { config_home: 'own' } });
    await claude.launch(request);
    const seeded = await readFile(join(request.home, 'claude/.claude.json'), 'utf8');
    expect(JSON.parse(seeded)).toMatchObject({ hasCompletedOnboarding: true, customApiKeyResponses: { approved: ['k'.repeat(20)] } });
    expect(seeded).not.toContain('secret-part');
  });
});
