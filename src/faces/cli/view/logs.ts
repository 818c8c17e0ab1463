import type { Out } from '../../../api/contract.ts';
import type { Paint } from '../out.ts';
import { span } from './columns.ts';
import { short } from './glyph.ts';

type Log = Out<'logs'>['logs'][number];

/** In one line: whose output it is, how it ended, and the file. */
export function logTitle(log: Log, now: number, paint: Paint): string {
  const began = Date.parse(log.at);
  const words = log.what === 'agent' ? agentWords(log, now - began) : checkWords(log, now - began);
  return `${paint.bold(`==> ${words}`)}${paint.dim(`: ${log.path}`)}`;
}

function checkWords({ what, name, state, detail, tree, ms, tasks }: Log, ago: number): string {
  const on = `on ${short(tree)}${tasks.length > 0 ? ` with ${tasks.join(', ')}` : ''}`;
  const it = what === 'check' ? `check ${name}` : name;
  if (state === 'running') return `${it} runs ${on}, since ${span(ago)}`;
  const how = { passed: 'passed', failed: 'failed', error: 'could not run', ended: 'ended' }[state];
  return `${it} ${how}${detail ? ` (${detail})` : ''} ${on} in ${took(ms ?? 0)}, ${span(ago)} ago`;
}

function agentWords({ name, state, detail, attempt, tasks }: Log, ago: number): string {
  const at = `agent ${name}, attempt ${attempt} of ${tasks.join(', ')}`;
  return state === 'running' ? `${at}, since ${span(ago)}` : `${at}, ended${detail ? `: ${detail}` : ''}`;
}

/** A duration with as many digits as it deserves: 40 ms, 3.2 s, 4m05s. */
export function took(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : span(ms);
}
