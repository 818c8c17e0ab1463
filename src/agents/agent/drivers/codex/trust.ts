import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError } from '../../../../platform/error.ts';
import { exec } from '../../../../platform/exec.ts';
import { privateFolder } from '../../../../platform/files.ts';
import { findOnPath } from '../../../../platform/on-path.ts';
import { shellQuote } from '../../../../platform/shell.ts';
import type { HookAddress, LaunchRequest } from '../../driver.ts';
import { whenListening } from './dial.ts';
import { HOOK, HOOKED, LEAVE } from './hooks.ts';
import { optionsOf } from './options.ts';
import { socketOf, sweep } from './socket.ts';
import { Refused, type Wire } from './wire.ts';

/** Names the attempt in the hook's line, which is thereby the same for all of them. */
const ATTEMPT = 'FURROW_HOOK';

/** A decision takes milliseconds. After this codex goes on as if there were no hook. */
const HOOK_SECONDS = 10;
/** A person may have to answer, and may be asleep. */
const LEAVE_SECONDS = 24 * 3600;

/** Codex was up and had answered after 0.4 to 0.9 s on two cores. */
const ASK_MS = 10_000;

interface Listed {
  readonly key?: string;
  readonly command?: string;
  readonly enabled?: boolean;
  readonly currentHash?: string;
  readonly trustStatus?: string;
}

/**
 * Gives codex the hook for one start, with the trust it needs: codex runs no hook whose hash was not agreed to. That hash is
 * codex's own affair and asked of it. The flag that does without trusts the repository's hooks too. With no answer there is
 * no hook, for one that is not trusted opens a dialog in the window.
 */
export async function hookFor(request: LaunchRequest): Promise<{ config: readonly string[]; env: Readonly<Record<string, string>> }> {
  const none = { config: [], env: {} };
  const { url } = request.hook;
  const asks = optionsOf(request).unasked;
  if (url === '' && !asks) return none;
  const words = asks ? [LEAVE, String(LEAVE_SECONDS)] : [HOOK];
  const command = { type: 'command', command: lineOf(request.hook, words), timeout: asks ? LEAVE_SECONDS + HOOK_SECONDS : HOOK_SECONDS };
  const hook = `hooks.${HOOK}=[{matcher=${JSON.stringify(HOOKED)},hooks=[${inline(command)}]}]`;
  const trust = url === '' ? undefined : await trustIn(hook, request);
  if (trust === undefined && asks)
    throw new FurrowError(
      'NO_HOOK',
      'codex has no sandbox in this fence and takes no hook, so nothing would ask before it runs a command',
      {
        hint: 'run furrow as another user than root, or set `isolation: none` for this machine',
      },
    );
  return trust === undefined ? none : { config: [hook, trust], env: { [ATTEMPT]: url.slice(url.lastIndexOf('/') + 1) } };
}

const doorOf = ({ url }: HookAddress): string => `${shellQuote(url.slice(0, url.lastIndexOf('/') + 1))}"$${ATTEMPT}"`;

function lineOf(hook: HookAddress, words: readonly string[]): string {
  return [...hook.relay.map((word) => (word === hook.url ? doorOf(hook) : shellQuote(word))), ...words].join(' ');
}

/** The hook as codex knows it, if it leads to this daemon's door: one that had to move is not found by the agents of the last. */
export async function listedHook(wire: Wire, where: object, hook: HookAddress): Promise<Listed | undefined> {
  try {
    const { data = [] } = await wire.call<{ data?: readonly { readonly hooks?: readonly Listed[] }[] }>('hooks/list', where);
    return data.flatMap(({ hooks = [] }) => hooks).find(({ command }) => command?.includes(doorOf(hook)));
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** The answers so far, by the program and the hook: they hold until the codex program changes. */
const answers = new Map<string, Promise<string | undefined>>();

async function trustIn(hook: string, request: LaunchRequest): Promise<string | undefined> {
  const program = findOnPath('codex', request.env['PATH'] ?? '');
  if (program === undefined) return undefined;
  const name = `${program} ${(await stat(program)).ctimeMs} ${hook}`;
  const answer = answers.get(name) ?? ask(program, hook, request).catch(() => undefined);
  answers.set(name, answer);
  const trust = await answer;
  if (trust === undefined) answers.delete(name);
  return trust;
}

/** Starts a codex with a throwaway configuration, which lists the hook and is ended. */
async function ask(program: string, hook: string, request: LaunchRequest): Promise<string | undefined> {
  const folder = await privateFolder(join(request.folder, 'codex-asked'));
  const socket = socketOf(folder);
  const words = ['app-server', '-c', hook, '--listen', `unix://${socket}`];
  const over = new AbortController();
  const options = { cwd: folder, env: { ...request.env, CODEX_HOME: folder }, timeoutMs: ASK_MS, signal: over.signal };
  const ended = exec([program, ...words], options).then(
    () => over.abort(),
    () => over.abort(),
  );
  try {
    const wire = await whenListening(socket, { message() {}, closed() {} }, over.signal);
    const listed = wire && (await listedHook(wire, { cwds: [folder] }, request.hook));
    wire?.close();
    if (!listed?.key || !listed.currentHash) return undefined;
    return `hooks.state={${JSON.stringify(listed.key)}=${inline({ trusted_hash: listed.currentHash })}}`;
  } finally {
    over.abort();
    await ended;
    await sweep(socket);
    await rm(folder, { recursive: true, force: true });
  }
}

/** An object as one of TOML's, on one line. */
function inline(values: Readonly<Record<string, string | number>>): string {
  return `{${Object.entries(values)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(',')}}`;
}
