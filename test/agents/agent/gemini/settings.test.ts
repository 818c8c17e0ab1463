import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Link } from '../../../../src/agents/agent/driver.ts';
import { connect } from '../../../../src/agents/agent/drivers/gemini/connection.ts';
import { HOOK_SCRIPT, hookScript, LOST, MISSED, mustBeSafe, settingsFile } from '../../../../src/agents/agent/drivers/gemini/settings.ts';
import type { AgentEvent } from '../../../../src/agents/agent/event.ts';
import { exec } from '../../../../src/platform/exec.ts';

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'furrow-gemini-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

async function fire(path: string, name: string, payload: string): Promise<string> {
  const env = { PATH: process.env['PATH']! };
  return (await exec(['sh', join(path, HOOK_SCRIPT), name], { env, timeoutMs: 10_000, input: payload })).stdout.trim();
}

const linkTo = (path: string, heard: AgentEvent[], transcript?: string): Link => ({
  request: {
    settings: { driver: 'gemini', args: [], mode: 'window', config_home: 'user', permission: 'act' },
    agent: 'ada',
    folder: path,
    home: path,
    worktree: path,
    root: path,
    promptFile: join(path, 'prompt.md'),
    prompt: '',
    session: 's',
    resume: false,
    hook: { url: '', relay: ['sh', '-c', 'cat'] },
    mcp: '',
    env: {},
  },
  fresh: false,
  session: 's',
  transcript,
  signal: new AbortController().signal,
  async heard(event) {
    heard.push(event);
    return { do: 'pass' };
  },
  warn: () => {},
  tell: async () => {},
});

it('a tool is never run because nobody could be asked', async () => {
  await using at = await folder();
  await writeFile(join(at.path, HOOK_SCRIPT), hookScript(at.path, { url: '', relay: ['false'] }));
  expect(JSON.parse(await fire(at.path, 'BeforeTool', '{}'))).toMatchObject({ decision: 'ask' });
  await writeFile(join(at.path, HOOK_SCRIPT), hookScript(at.path, { url: '', relay: ['sh', '-c', `cat; printf ' %s' "$1"`, '-'] }));
  expect(await fire(at.path, 'BeforeTool', '{"a":"; \\" $x"}')).toBe('{"a":"; \\" $x"} BeforeTool');
  expect(await readdir(at.path)).toEqual([HOOK_SCRIPT, 'gemini-spoke']);
});

it('the end of a turn that no daemon heard of is told to the one that comes back, and its hooks reach it', async () => {
  await using at = await folder();
  await writeFile(join(at.path, HOOK_SCRIPT), hookScript(at.path, { url: '', relay: ['true'] }));
  expect(await fire(at.path, 'AfterAgent', '{"prompt_response":"all done"}')).toBe('');
  const heard: AgentEvent[] = [];
  const connection = await connect(linkTo(at.path, heard));
  await connection.seen('');
  await expect.poll(() => heard).toEqual([{ on: 'turn-ended', last: 'all done' }]);
  await expect.poll(() => readdir(at.path)).not.toContain(MISSED);
  expect(await fire(at.path, 'AfterAgent', 'heard')).toBe('heard');
  await connection.close();
});

it('an end that was missed is forgotten when the next turn begins', async () => {
  await using at = await folder();
  await writeFile(join(at.path, HOOK_SCRIPT), hookScript(at.path, { url: '', relay: ['true'] }));
  await fire(at.path, 'AfterAgent', '{}');
  expect(await readdir(at.path)).toContain(MISSED);
  await fire(at.path, 'BeforeAgent', '{}');
  expect(await readdir(at.path)).not.toContain(MISSED);
});

it('what was used and whether a stamp arrived is read from the transcript', async () => {
  await using at = await folder();
  const file = join(at.path, 'chat.jsonl');
  await writeFile(file, await readFile(new URL('data/transcript.jsonl', import.meta.url)));
  const heard: AgentEvent[] = [];
  const connection = await connect(linkTo(at.path, heard, file));
  expect(await connection.seen('[furrow m6]')).toBe(true);
  expect(await connection.seen('[furrow m77]')).toBe(false);
  await expect.poll(() => heard.find(({ on }) => on === 'usage')).toMatchObject({ session: 's', usage: { model: 'gemini-2.5-flash' } });
  await connection.close();
});

it('the login stays the user’s, unless a base URL makes gemini mistake it', () => {
  const { request } = linkTo('/f', []);
  expect(JSON.parse(settingsFile(request))).not.toHaveProperty('security');
  const env = { GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1', GEMINI_API_KEY: 'k' };
  expect(JSON.parse(settingsFile({ ...request, env }))).toMatchObject({ security: { auth: { selectedType: 'gemini-api-key' } } });
});

it('a folder that others may write to is refused, because gemini would ignore what is in it', async () => {
  await using at = await folder();
  await chmod(at.path, 0o770);
  await expect(mustBeSafe(at.path)).rejects.toMatchObject({ code: 'FOLDER_NOT_SAFE', message: expect.stringContaining(at.path) });
  await expect(mustBeSafe(homedir())).resolves.toBeUndefined();
});

it('a task that the conversation has lost comes along with the next prompt, once', async () => {
  await using at = await folder();
  const link = linkTo(at.path, [], join(at.path, 'chat.jsonl'));
  const said = '{"id":"a","type":"user","content":[{"text":"# Task 1"}]}';
  await writeFile(join(at.path, 'chat.jsonl'), `${said}\n{"$set":{"messages":[]}}\n`);
  const connection = await connect({ ...link, request: { ...link.request, prompt: '# Task 1' } });
  await expect.poll(() => readdir(at.path)).toContain(LOST);
  await connection.close();
  await writeFile(join(at.path, HOOK_SCRIPT), hookScript(at.path, { url: '', relay: ['echo', '{}'] }));
  expect(await fire(at.path, 'AfterTool', '{}')).toBe('{} AfterTool');
  expect(JSON.parse(await fire(at.path, 'BeforeAgent', '{}')).hookSpecificOutput.additionalContext).toContain('# Task 1');
  expect(await fire(at.path, 'BeforeAgent', '{}')).toBe('{} BeforeAgent');
});
