import { suggest } from '../platform/suggest.ts';
import { DRIVERS } from './agent-schema.ts';
import type { Problem } from './problems.ts';

/** Values that are valid alone but not together. Takes any shape, so that these problems are reported with the others. */
export function contradictions(raw: unknown): Problem[] {
  const { agent, agents, check, checks, queue, review, race, resources } = asMap(raw);
  const { kind } = asMap(review);
  const kinds = [...KINDS, ...Object.keys(asMap(agents))];
  const { history, keep_commits: kept, message, after } = asMap(queue);
  const both = check !== undefined && checks !== undefined;
  return [
    ...(both ? [{ path: ['checks'], text: 'both "check" and "checks" are given; keep one', atKey: true }] : []),
    ...(typeof agent === 'string' ? unknownKind(['agent'], agent, kinds) : []),
    ...(typeof kind === 'string' ? unknownKind(['review', 'kind'], kind, kinds) : []),
    ...Object.entries(asMap(agents)).flatMap(([name, kind]) => (typeof kind === 'object' ? runProblems(name, asMap(kind)) : [])),
    ...(history === 'linear' && String(kept) === 'true'
      ? [
          {
            path: ['queue', 'keep_commits'],
            text: 'queue.keep_commits: a linear history has no place for them; use history: merge',
            atKey: true,
          },
        ]
      : []),
    ...messageProblems(message),
    ...raceProblems(asMap(race), kinds),
    ...repeatedNames(Array.isArray(checks) ? checks.map(asMap) : []),
    ...unknownNeeds(['checks'], checks, resources),
    ...unknownNeeds(['queue', 'after'], after, resources),
  ];
}

/** Only one of them may choose the winner: with several it would be unclear which does. */
function raceProblems({ judge, reviewer, first }: Record<string, unknown>, kinds: readonly string[]): Problem[] {
  const given = (value: unknown) => value !== undefined && value !== null;
  const ways = [
    ...(given(judge) ? ['judge'] : []),
    ...(given(reviewer) ? ['reviewer'] : []),
    ...(String(first) === 'true' ? ['first'] : []),
  ];
  const [, second] = ways;
  const several = second
    ? [{ path: ['race', second], text: `race: ${ways.join(' and ')} contradict each other; keep one`, atKey: true }]
    : [];
  return [...several, ...(typeof reviewer === 'string' ? unknownKind(['race', 'reviewer'], reviewer, kinds) : [])];
}

function unknownKind(path: string[], agent: string, kinds: readonly string[]): Problem[] {
  if (kinds.includes(agent)) return [];
  const meant = suggest(agent, kinds);
  const help = meant ? `did you mean "${meant}"? ` : '';
  return [{ path, text: `there is no agent kind "${agent}"; ${help}the kinds are ${[...new Set(kinds)].join(', ')}` }];
}

const WITH_ACCOUNTS = ['claude', 'codex', 'gemini', 'scripted'];

function runProblems(name: string, { driver = driverOf(name), run, accounts }: Record<string, unknown>): Problem[] {
  // `furrow config` prints an empty list for those without any, and can be read back.
  if (accounts !== undefined && String(accounts) !== '' && !WITH_ACCOUNTS.includes(String(driver)))
    return [
      { path: ['agents', name, 'accounts'], text: `agents.${name}.accounts: only claude, codex and gemini take accounts`, atKey: true },
    ];
  const runs = RUN_BY_LINE.has(driver as Driver);
  if (runs && run === undefined) {
    return [{ path: ['agents', name], text: `agents.${name}: needs "run", the command line to start`, atKey: true }];
  }
  if (!runs && run !== undefined) {
    return [{ path: ['agents', name, 'run'], text: `agents.${name}.run: only the drivers "command" and "acp" take one`, atKey: true }];
  }
  return [];
}

function repeatedNames(checks: readonly Record<string, unknown>[]): Problem[] {
  const names = checks.map((check, i) => check['name'] ?? `check-${i + 1}`);
  return names.flatMap((name, i) => {
    if (typeof name !== 'string' || names.indexOf(name) === i) return [];
    return [{ path: ['checks', i, 'name'], text: `checks[${i + 1}]: there is another check named "${name}"` }];
  });
}

/** `host:gpu`: a machine with that label. It is no resource. */
const isHostNeed = (name: string) => /^host:[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/.test(name);

function unknownNeeds(at: readonly string[], checks: unknown, resources: unknown): Problem[] {
  const known = Object.keys(asMap(resources));
  return (Array.isArray(checks) ? checks.map(asMap) : []).flatMap(({ needs }, i) => {
    const missing = (Array.isArray(needs) ? needs.map(String) : []).find(
      (name) => !known.includes(name) && !(at[0] === 'checks' && isHostNeed(name)),
    );
    if (missing === undefined) return [];
    const meant = suggest(missing, known);
    const text = `${at.join('.')}[${i + 1}].needs: "resources" has no ${missing}${meant ? `; did you mean "${meant}"?` : ''}`;
    return [{ path: [...at, i, 'needs'], text }];
  });
}

function asMap(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** Names that a template of `queue.message` may have in braces. */
export const PLACEHOLDERS = ['title', 'summary', 'subjects', 'task', 'agent', 'attempt', 'type', 'scope'] as const;

const MESSAGE_PRESETS = ['conventional'] as const;

/** The mistakes of a template: an unknown placeholder, or no placeholder at all. */
function messageProblems(message: unknown): Problem[] {
  if (typeof message !== 'string' || (MESSAGE_PRESETS as readonly string[]).includes(message)) return [];
  const path = ['queue', 'message'];
  const names = [...message.matchAll(/\{([^{}\s]*)\}/g)].map(([, name = '']) => name);
  const all = PLACEHOLDERS.map((name) => `{${name}}`).join(', ');
  const wrong = names.filter((name) => !(PLACEHOLDERS as readonly string[]).includes(name));
  if (wrong.length > 0) {
    return [...new Set(wrong)].map((name) => {
      const meant = suggest(name, PLACEHOLDERS);
      const help = meant ? `did you mean {${meant}}?` : `the placeholders are ${all}`;
      return { path, text: `queue.message: unknown placeholder {${name}}; ${help}` };
    });
  }
  if (names.length > 0) return [];
  return [{ path, text: `queue.message: expected conventional, or a template with one of ${all}, found ${JSON.stringify(message)}` }];
}

type Driver = (typeof DRIVERS)[number];

/** Drivers of which a kind says what to start. */
export const RUN_BY_LINE: ReadonlySet<Driver> = new Set<Driver>(['command', 'acp']);

/** Kinds that need no configuration. Those that need a `run` are not among them. */
export const KINDS = DRIVERS.filter((driver) => !RUN_BY_LINE.has(driver));

export function driverOf(kind: string): Driver {
  return KINDS.find((driver) => driver === kind) ?? 'command';
}
