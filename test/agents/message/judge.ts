import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLines } from '../../../src/agents/agent/drivers/scripted/transcript.ts';
import { idOf, needsFile, stampsIn } from '../../../src/agents/message/state.ts';
import { wrap } from '../../../src/agents/message/text.ts';
import type { TestAgent } from './agents.ts';

/** What the agents' own conversations say, against what was sent and what the person typed. */
export async function judge(
  ids: readonly number[],
  bodies: readonly string[],
  agents: readonly TestAgent[],
  receiverOf: (n: number) => TestAgent,
  typed: readonly { agent: string; text: string }[],
  dir: string,
): Promise<{ violations: string[]; beside: number }> {
  const violations: string[] = [];
  let beside = 0;
  const bodyOf = new Map(ids.map((id, n) => [id, bodies[n]!]));
  const seen = new Map<number, string[]>();
  for (const agent of agents) {
    const file = join(agent.home, 'conversations', `${agent.request.session}.jsonl`);
    const said = (readLines(file) ?? [])
      .filter((line) => line.on === 'user' && line.by !== 'task')
      .map((line) => (line.on === 'user' ? line : undefined)!);
    const drafts = typed.filter((one) => one.agent === agent.name).map((one) => one.text);
    let last = 0;
    for (const { text, by } of said) {
      const own = stampsIn(text).map(idOf);
      for (const id of own) {
        seen.set(id, [...(seen.get(id) ?? []), agent.name]);
        if (id <= last) violations.push(`m${id} came to ${agent.name} after m${last}`);
        last = id;
      }
      const wording = (id: number, via: 'hook' | 'keys') => {
        const letter = { id, sender: 'bob', kind: 'notify', body: bodyOf.get(id) ?? '?' } as const;
        return wrap(letter, needsFile(letter.body, via) ? join(dir, `m${id}.txt`) : undefined);
      };
      const ours = by === 'hook' ? own.map((id) => wording(id, 'hook')).join('\n\n') : own.map((id) => wording(id, 'keys')).join('');
      if (!text.startsWith(ours)) violations.push(`${agent.name} read ${JSON.stringify(text)} where ${JSON.stringify(ours)} was sent`);
      // A person who typed on behind our text sent both; what is left must be a whole draft.
      // An Enter of theirs that came in the same breath as the last letter is a line break to some programs.
      const rest = text.slice(ours.length).replace(/\n$/, '');
      if (rest === '') continue;
      if (own.length > 0) beside++;
      const draft = drafts.indexOf(rest);
      if (draft < 0) violations.push(`${agent.name} read ${JSON.stringify(rest)}, which nobody typed`);
      else drafts.splice(draft, 1);
    }
    for (const draft of drafts) violations.push(`the draft ${JSON.stringify(draft)} never came to ${agent.name}`);
  }
  for (const [n, id] of ids.entries()) {
    const names = seen.get(id) ?? [];
    if (names.length !== 1 || names[0] !== receiverOf(n).name) violations.push(`m${id} for ${receiverOf(n).name} was read by [${names}]`);
    const body = bodies[n]!;
    const file = join(dir, `m${id}.txt`);
    if (needsFile(body, 'keys') && needsFile(body, 'hook') && (await readFile(file, 'utf8')) !== body)
      violations.push(`the body of m${id} changed`);
  }
  return { violations, beside };
}
