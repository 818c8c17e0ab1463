import type { Person } from '../person.ts';

/** One thing that a person does, from its first key to its last. */
export interface Step {
  readonly name: string;
  /** How often, beside the others. */
  readonly weight: number;
  /** Whether it makes sense now. */
  readonly when?: (person: Person) => boolean;
  run(person: Person): Promise<void>;
}

export const home = (person: Person) => person.atHome;
