import { boardLines } from './board.ts';
import { changes } from './changes.ts';
import { decisionLines } from './decisions.ts';
import { cutTo, type Draft, oneLine, type Section } from './section.ts';
import type { DigestSnapshot, Facts } from './snapshot.ts';
import { sizeOf, sizeOfTokens, tokensOf } from './tokens.ts';

interface Digest {
  readonly seq: number;
  readonly since: number | null;
  /** The most tokens that it may have, and its own count; see `tokens.ts` for how they are counted. */
  readonly budget: number;
  readonly tokens: number;
  /** The first ones rarely change, so that a model finds the beginning in its cache. */
  readonly sections: readonly Section[];
}

/** The facts have a share of their own: the rest of the digest, which changes, does not move where they end. */
const FACTS = 0.25;
const DECISIONS = 0.5;
const BOARD = 0.6;

/** The farm in at most so many tokens. What needs a decision comes first when room is given out, and last when it is read. */
export function digest(snapshot: DigestSnapshot, budget: number): Digest {
  const end = [endLine(snapshot)];
  const room = sizeOfTokens(budget) - sizeOf(...end);
  const draft = factLines(snapshot.facts);
  const wanted = cutTo(draft, sizeOfTokens(budget) * FACTS);
  const decisions = decisionLines(snapshot.decisions, snapshot.hidden, room * DECISIONS, room);
  const needed = sizeOf(...decisions.lines);
  const facts = needed + sizeOf(...wanted.lines) <= room ? wanted : { name: draft.name, lines: [], left_out: draft.lines.length };
  const left = room - needed - sizeOf(...facts.lines);
  const news = sizeOf(...changes(snapshot, left).lines);
  // Room that one of the two leaves free goes to the other.
  const board = cutTo(boardLines(snapshot), Math.max(left * BOARD, left - news));
  const happened = changes(snapshot, left - sizeOf(...board.lines));
  const sections = [facts, board, happened, decisions, { name: 'end', lines: end, left_out: 0 }];
  const size = sizeOf(...sections.flatMap((section) => section.lines));
  return { seq: snapshot.seq, since: snapshot.since, budget, tokens: tokensOf(size), sections };
}

/** The command that tells what happens from here on. */
function endLine({ seq, cost }: DigestSnapshot): string {
  const spent = cost.usd > 0 || cost.tokens > 0 ? `cost $${cost.usd.toFixed(2)}, ${cost.tokens} tokens; ` : '';
  return `${spent}next: furrow digest --since ${seq}`;
}

const LONGEST = 120;

/** The facts, word for word the same in every digest until one changes. */
function factLines(facts: Facts): Draft {
  const { repository, target, checks, kinds, defaultKind, phases, attempts, land, isolation, resources } = facts;
  const named = Object.entries(resources).map(([name, capacity]) => `${name} ${capacity}`);
  const lines = [
    `repository ${oneLine(repository, LONGEST)}, lands on ${oneLine(target, LONGEST)}`,
    ...checks.map(({ name, run }) => `check ${oneLine(name, LONGEST)}: ${oneLine(run, LONGEST)}`),
    ...(checks.length === 0 ? ['no check is configured: everything that merges lands'] : []),
    `agent kinds: ${kinds.map((kind) => kindWords(kind, defaultKind)).join(', ')}`,
    `phases: ${phases.join(', ') || 'none'}; attempts a task: ${attempts}; land: ${land}; isolation: ${isolation}`,
    ...(named.length > 0 ? [`resources: ${named.join(', ')}`] : []),
  ];
  return { name: 'facts', lines, more: (count) => `${count} more: furrow config` };
}

function kindWords({ name, driver, role }: Facts['kinds'][number], defaultKind: string): string {
  const notes = [...(driver === name ? [] : [driver]), ...(role === 'agent' ? [] : [role]), ...(name === defaultKind ? ['default'] : [])];
  return notes.length > 0 ? `${name} (${notes.join(', ')})` : name;
}
