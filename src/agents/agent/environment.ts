import { CERTIFICATES } from '../../platform/certificates.ts';

/**
 * The variables of the daemon's environment that an agent may see. An allow-list: the variables of an outer agent (CLAUDECODE made
 * Claude refuse to start), NODE_OPTIONS and every token in the starter's shell stay outside.
 */
const PASSED = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'COLORTERM',
  'SSH_AUTH_SOCK',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_CACHE_HOME',
  ...CERTIFICATES,
];

export function passedEnvironment(from: NodeJS.ProcessEnv, more: readonly string[] = []): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    if (value === undefined) continue;
    if (PASSED.includes(name) || more.includes(name) || name.startsWith('LC_') || name.startsWith('FURROW_WITNESS')) env[name] = value;
  }
  return env;
}
