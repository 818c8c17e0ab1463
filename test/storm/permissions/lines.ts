import { dice } from '../../../src/agents/agent/scripted/random.ts';
import { ATTACKS, DAILY, GLUE, NOISE, OPTIONS, PROGRAMS, REDIRECTS, WORDS } from './corpus.ts';

type Roll = () => number;

/** So many lines: first all that are known to matter, then what the seed makes. The same seed makes the same lines. */
export function lines(seed: string, count: number): string[] {
  const roll = dice(`permissions/${seed}`);
  const known = [...DAILY, ...ATTACKS];
  return Array.from({ length: count }, (_, n) => known[n] ?? made(roll));
}

function made(roll: Roll): string {
  const kind = roll();
  if (kind < 0.35) return sentence(roll);
  if (kind < 0.55) return disturbed(roll, one(roll, DAILY));
  if (kind < 0.75) return disturbed(roll, one(roll, ATTACKS));
  if (kind < 0.85) return disturbed(roll, sentence(roll));
  return [one(roll, DAILY), one(roll, roll() < 0.3 ? ATTACKS : DAILY)].join(one(roll, GLUE));
}

const one = <T>(roll: Roll, from: readonly T[]): T => from[Math.floor(roll() * from.length)]!;

/** Commands as one writes them: a program, options, words, a redirect. */
function sentence(roll: Roll): string {
  const commands = Array.from({ length: 1 + Math.floor(roll() * 2.2) }, () => command(roll));
  return commands.reduce((line, next) => line + one(roll, GLUE) + next);
}

function command(roll: Roll): string {
  const parts = [one(roll, PROGRAMS)];
  for (let left = Math.floor(roll() * 4); left > 0; left--) parts.push(one(roll, roll() < 0.4 ? OPTIONS : WORDS));
  const redirect = roll() < 0.25 ? one(roll, REDIRECTS) + one(roll, WORDS) : '';
  return parts.join(' ') + redirect;
}

/** A line with something thrown in, left out or doubled. */
function disturbed(roll: Roll, line: string): string {
  let text = line;
  for (let left = 1 + Math.floor(roll() * 2); left > 0; left--) {
    const words = text.split(' ');
    const at = Math.floor(roll() * (words.length + 1));
    const place = Math.floor(roll() * (text.length + 1));
    const how = roll();
    if (how < 0.35) text = text.slice(0, place) + one(roll, NOISE) + text.slice(place);
    else if (how < 0.6) text = [...words.slice(0, at), one(roll, roll() < 0.5 ? OPTIONS : WORDS), ...words.slice(at)].join(' ');
    else if (how < 0.75) text = words.filter((_, n) => n !== at).join(' ');
    else if (how < 0.85) text = text.slice(0, place) + text.slice(place + 1);
    else text += one(roll, REDIRECTS) + one(roll, WORDS);
  }
  return text;
}
