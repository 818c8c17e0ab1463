import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FurrowError } from '../../../../platform/error.ts';
import { quotedIfNeeded, shellQuote } from '../../../../platform/shell.ts';
import type { HookAddress, LaunchRequest } from '../../driver.ts';
import { HOOKS } from './hooks.ts';

export const SETTINGS = 'gemini-settings.json';
export const HOOK_SCRIPT = 'gemini-hook.sh';
/** Touched after each hook: where the transcript is may be known now. */
export const SPOKE = 'gemini-spoke';
/** The file with the text that is added to the next prompt when the conversation has lost the task. */
export const LOST = 'gemini-lost.json';
/** The end of the last turn, when nobody heard of it. */
export const MISSED = 'gemini-missed';

/** In seconds. A daemon that died is back within a few seconds, or not before somebody runs a command. */
const PATIENCE = 60;

/**
 * Laid over the user's settings, so it says no more than it must: their login stays theirs. With another base URL gemini
 * takes a login for a gateway, which it then refuses (exit 41) unless it is told that the key is the login.
 */
export function settingsFile({ folder, env, mcp }: LaunchRequest): string {
  const hook = (name: string) => `sh ${shellQuote(join(folder, HOOK_SCRIPT))} ${name}`;
  const entry = ([name, timeout]: [string, number]) => [
    name,
    [{ matcher: '*', hooks: [{ type: 'command', name: 'furrow', command: hook(name), timeout }] }],
  ];
  const byKey = env['GOOGLE_GEMINI_BASE_URL'] && env['GEMINI_API_KEY'];
  return JSON.stringify({
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    hooksConfig: { enabled: true, notifications: false },
    hooks: Object.fromEntries(Object.entries(HOOKS).map(entry)),
    ...(mcp && { mcpServers: { furrow: { httpUrl: mcp, headers: { Authorization: 'Bearer $FURROW_TOKEN' }, trust: true } } }),
    ...(byKey && { security: { auth: { selectedType: 'gemini-api-key' } } }),
  });
}

/**
 * Hands a hook to the daemon. Gemini runs a tool whose hook fails or prints nothing, whatever its exit code (seen with
 * 0.61.0): before a tool the daemon is waited for, and then the person at the window is asked. What nobody heard is kept for
 * the daemon that comes back.
 */
export function hookScript(folder: string, hook: HookAddress): string {
  const at = (name: string) => shellQuote(join(folder, name));
  return [
    '#!/bin/sh',
    'umask 077',
    `payload=${at('gemini-hook')}.$$`,
    'cat > "$payload"',
    `wait=; [ "$1" != BeforeTool ] || wait=${PATIENCE}`,
    `reply=$(${hook.relay.map(shellQuote).join(' ')} "$1" $wait < "$payload")`,
    'heard=; [ -z "$reply" ] || heard=heard-',
    'case "$heard$1" in',
    `  BeforeTool) reply='{"decision":"ask","systemMessage":"furrow could not be asked"}' ;;`,
    `  AfterAgent) mv "$payload" ${at(MISSED)} ;;`,
    `  *BeforeAgent) rm -f ${at(MISSED)} ;;`,
    'esac',
    `if [ "$1" = BeforeAgent ] && [ -f ${at(LOST)} ]; then reply=$(cat ${at(LOST)}); rm -f ${at(LOST)}; fi`,
    'rm -f "$payload"',
    '[ -z "$reply" ] || printf "%s\\n" "$reply"',
    `: > ${at(SPOKE)}`,
    '',
  ].join('\n');
}

/** Gemini ignores the file without a word when others may write to a folder above it; the agent would run unguarded. */
export async function mustBeSafe(folder: string): Promise<void> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const { mode } = await stat(at);
    if ((mode & 0o022) !== 0) {
      throw new FurrowError('FOLDER_NOT_SAFE', `gemini would ignore furrow's settings, because others may write to ${at}`, {
        hint: `chmod go-w ${quotedIfNeeded(at)}, or keep the repository elsewhere`,
      });
    }
    if (at === dirname(at)) return;
  }
}
