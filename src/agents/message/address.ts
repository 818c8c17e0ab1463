import { HUMAN } from './text.ts';

/** An agent, as far as groups of agents care. */
export interface Addressee {
  readonly name: string;
  readonly phase: string;
  readonly kind: string;
  readonly state: string;
}

/** The one who sends: a name, and the phase where it is at work; null: a person, who is in none. */
interface Sender {
  readonly name: string;
  readonly phase: string | null;
}

type Group = { readonly names: readonly string[] } | { readonly problem: string };

/**
 * The agents behind the name of a group, in their order, without the sender and without those that are stopped. `@all`: every agent;
 * `@phase`: those of the sender's phase; `@NAME`: those of a phase or a kind of that name. Undefined: no group is called so. A name that means
 * both is refused, never guessed.
 */
export function groupNamed(word: string, agents: readonly Addressee[], sender: Sender): Group | undefined {
  const wanted = membersOf(word, agents, sender);
  if (wanted === undefined || 'problem' in wanted) return wanted;
  const names = wanted.filter((one) => one.state !== 'stopped' && one.name !== sender.name).map((one) => one.name);
  return names.length > 0 ? { names } : { problem: `nobody else is in the group ${word}` };
}

function membersOf(word: string, agents: readonly Addressee[], { phase }: Sender): readonly Addressee[] | { problem: string } | undefined {
  if (word === '@all') return agents;
  if (word === '@phase') {
    if (phase === null) return { problem: '@phase is the phase of the agent that says it, and you are in none; say @NAME' };
    return agents.filter((one) => one.phase === phase);
  }
  const name = word.replace(/^@/, '');
  const [ofPhase, ofKind] = [agents.filter((one) => one.phase === name), agents.filter((one) => one.kind === name)];
  // Without the @ only a kind can be meant: phases are often called like agents or tasks.
  if (!word.startsWith('@')) return ofKind.length > 0 ? ofKind : undefined;
  if (ofPhase.length > 0 && ofKind.length > 0 && !isSame(ofPhase, ofKind))
    return { problem: `${name} is a phase and a kind of agents; name the agents` };
  if (ofPhase.length + ofKind.length === 0) return { problem: `there is no phase and no kind of agents called ${name}` };
  return ofPhase.length > 0 ? ofPhase : ofKind;
}

const isSame = (a: readonly Addressee[], b: readonly Addressee[]) => a.length === b.length && a.every((one) => b.includes(one));

/** True for `repo:agent`: somebody of another farm. */
export const isFar = (name: string): boolean => name.includes(':');

/** True when a message to oneself would be sent. */
export const isOneself = (receiver: string, sender: Sender): boolean => receiver === sender.name && receiver !== HUMAN;
