import type { RIGHTS, Right } from '../../api/rights.ts';
import type { ConfigKey } from '../../config/keys.ts';
import { optionsOf } from './arguments.ts';
import type { Command } from './command.ts';
import { shown } from './find.ts';
import { GROUPS, optionWord, sentence, usage } from './help.ts';

/** `docs/reference.md`, whole. Made from what the program itself reads, so that it cannot promise anything else. */
export function referenceText(commands: readonly Command[], keys: readonly ConfigKey[], rights: typeof RIGHTS): string {
  const parts = ['# Reference', '', 'Made by `furrow reference`; do not edit by hand.', '', EXITS, ''];
  for (const [group, title] of Object.entries(GROUPS)) {
    parts.push(`## ${title}`, '');
    for (const command of shown(commands).filter((one) => one.group === group)) parts.push(...section(command));
  }
  parts.push('## `furrow.yaml`', '', 'At the root of the repository. Every key is optional.', '');
  parts.push('| key | type | default | meaning |', '|---|---|---|---|');
  for (const key of keys)
    parts.push(
      `| \`${key.key}\` | ${cell(key.type)} | ${key.default === undefined ? '' : `\`${cell(key.default)}\``} | ${cell(key.description)} |`,
    );
  parts.push('', '## Who may call what', '', WHO, '', '| call | person | agent | orchestrator |', '|---|---|---|---|');
  for (const [call, { who }] of Object.entries(rights)) parts.push(`| \`${call}\` | ${MAY[who].join(' | ')} |`);
  return `${parts.join('\n')}\n`;
}

const WHO = `The daemon finds out by itself who makes a call; commands make one call or a few. An agent's process calls by the door of its attempt
(\`FURROW_DOOR\`). A kind is an orchestrator by \`agents.<kind>.role\`; it cannot set the check of a task or how it lands, and it pauses
agents, not the whole farm.`;

/** Of a person, an agent, an orchestrator. */
const MAY: Readonly<Record<Right, readonly [string, string, string]>> = {
  everybody: ['yes', 'yes', 'yes'],
  agents: ['no', 'for its own attempt', 'for its own attempt'],
  own: ['yes', 'its own', 'its own'],
  readable: ['yes', 'its own', 'yes'],
  orchestrators: ['yes', 'no', 'yes'],
  persons: ['yes', 'no', 'no'],
};

const EXITS = `Every command takes \`--repo PATH\` (default: the repository of the current folder, found from any of its worktrees) and \`--help\`.
With \`--json\` a command prints one JSON document on stdout and nothing else there; \`log --json\` prints one a line.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | the answer is no, or a known error: one sentence and the next command to try on stderr |
| 2 | wrong words |
| 69 | the daemon cannot be reached or started, or the database of the store does not answer |
| 70 | a bug in furrow |
| 75 | try again later |
| 78 | something is missing on this machine |
| 130 | \`furrow work\` was left with a second Ctrl-C; the farm goes on |`;

function section(command: Command): string[] {
  const lines = [`### furrow ${command.name}`, '', sentence(command.summary), ...(command.details ? [command.details] : []), ''];
  lines.push('```', usage(command), '```', '');
  const rows = [
    ...(command.arguments ?? []).map((argument) => [argument.name, argument.says]),
    ...optionsOf(command)
      .filter((option) => !['repo', 'help', 'json'].includes(option.name))
      .map((option) => [`${option.short ? `-${option.short}, ` : ''}${optionWord(option)}`, option.says]),
  ];
  if (rows.length > 0)
    lines.push('| word | meaning |', '|---|---|', ...rows.map(([word, says]) => `| \`${cell(word!)}\` | ${cell(says!)} |`), '');
  if (command.examples) lines.push('```sh', ...command.examples, '```', '');
  return lines;
}

/** A bar would end the cell, a line break the table. */
const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');
