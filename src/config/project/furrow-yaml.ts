import { stringify } from 'yaml';
import type { FoundAgent } from './agents.ts';
import type { Proposal } from './proposal.ts';

interface FirstConfig {
  readonly board: string;
  readonly agents: readonly FoundAgent[];
  readonly proposal: Proposal;
}

/** The first furrow.yaml: what was found is set, each with its reason. Comments have lines of their own, as formatters want it. */
export function furrowYaml({ board, agents, proposal }: FirstConfig): string {
  const [first] = agents;
  return [
    '# How furrow works on this repository. Every key is optional; furrow config prints all of them.',
    `board: ${scalar(board)}`,
    'parallel: 4',
    ...(first === undefined
      ? [
          '# No coding agent was found on the PATH. Any command that reads $FURROW_PROMPT_FILE will do:',
          '# agent: script',
          '# agents:',
          '#   script: { driver: command, run: sh tools/agent.sh }',
        ]
      : [`agent: ${first.name}`, 'agents:', ...agents.map(({ name, settings }) => `  ${name}: ${settings}`)]),
    '',
    ...checkLines(proposal),
    ...setupLines(proposal),
    ...queueLines(proposal),
    '',
  ].join('\n');
}

interface Configured {
  readonly checks: readonly unknown[];
  readonly worktree: { readonly setup: readonly unknown[] };
}

/** The lines of the proposal that a furrow.yaml lacks: no check at all, no set-up at all. */
export function lackingLines({ checks, worktree }: Configured, proposal: Proposal): string[] {
  const lines = [
    ...(checks.length === 0 && proposal.checks.length > 0 ? checkLines(proposal) : []),
    ...(worktree.setup.length === 0 ? setupLines(proposal) : []),
  ];
  return lines.filter((line) => line !== '' && !line.trimStart().startsWith('#'));
}

function checkLines({ checks }: Proposal): string[] {
  const [one] = checks;
  if (one === undefined) return ['# No check was found. Without one, what agents hand in lands unchecked.', '# check: make test'];
  if (checks.length === 1 && one.name === 'check')
    return [`# Must exit 0 on a tree before it lands. From: ${one.because}`, `check: ${scalar(one.run)}`];
  return [
    '# Each must exit 0 on a tree before it lands.',
    'checks:',
    ...checks.flatMap(({ name, run, because }) => [`  # ${because}`, `  - name: ${name}`, `    run: ${scalar(run)}`]),
  ];
}

function setupLines({ setup }: Proposal): string[] {
  if (setup.length === 0) return [];
  return [
    '',
    'worktree:',
    '  # Run in each new worktree before an agent or a check starts there.',
    '  setup:',
    ...setup.flatMap(({ run, because }) => [`    # ${because}`, `    - ${scalar(run)}`]),
  ];
}

function queueLines({ caches, regenerate }: Proposal): string[] {
  if (caches.length + regenerate.length === 0) return [];
  const kept =
    caches.length === 0
      ? []
      : [
          '  # Ignored folders that checks begin with as one on the target left them.',
          `  caches: [${caches.map(({ path }) => scalar(path)).join(', ')}]`,
        ];
  const rules = regenerate.flatMap(({ paths, run, because }) => [
    `    # ${because}`,
    `    - paths: [${paths.map(scalar).join(', ')}]`,
    `      run: ${scalar(run)}`,
  ]);
  return [
    '',
    'queue:',
    ...kept,
    ...(rules.length === 0
      ? []
      : ['  # Where both sides changed one of these, it is regenerated from the merged rest.', '  regenerate:', ...rules]),
  ];
}

const scalar = (text: string): string => stringify(text, { lineWidth: 0 }).trimEnd();
