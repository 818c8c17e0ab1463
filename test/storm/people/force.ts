import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tryLook } from './git.ts';
import type { Rules, World } from './world.ts';

interface Span {
  readonly rules: Rules;
  readonly from: number;
  /** From here on no landing may be judged by them any more. */
  until: number;
}

/**
 * Which furrow.yaml is in force, by the rules that are promised and by nothing that furrow says: the file committed on the target when
 * that changes; the file of the checkout while that is on the target, if it is whole and valid. Only texts that were told as valid are.
 */
export class Force {
  readonly spans: Span[];
  readonly #world: World;
  readonly #valid = new Map<string, Rules>();
  #committed: string | undefined;

  constructor(world: World) {
    this.#world = world;
    this.spans = [{ rules: world.rules, from: 0, until: Number.POSITIVE_INFINITY }];
    this.valid(world.rules);
  }

  get now(): Rules {
    return this.spans.at(-1)!.rules;
  }

  /** Tells of a text that is valid, before anybody saves it. */
  valid(rules: Rules): Rules {
    this.#valid.set(rules.text, rules);
    return rules;
  }

  /** Looks after each deed of the person's; what it brought into force may have been so from `since` on. */
  async look(since: number): Promise<void> {
    const next = await this.#next();
    if (next.text !== this.now.text) this.spans.push({ rules: next, from: since, until: Number.POSITIVE_INFINITY });
  }

  /** The store is lost, and with it what the checkout had brought into force before the person switched away: what is committed counts. */
  async forgotten(since: number): Promise<void> {
    this.#committed = '';
    await this.look(since);
  }

  async #next(): Promise<Rules> {
    const { target } = this.now;
    const committed = (await tryLook(this.#world, 'cat-file', 'blob', `refs/heads/${target}:furrow.yaml`)) ?? '';
    const head = await readFile(join(this.#world.gitDir, 'HEAD'), 'utf8');
    if (head.trim() === `ref: refs/heads/${target}` || committed === '') {
      const file = await readFile(join(this.#world.repo.root, 'furrow.yaml'), 'utf8').catch(() => '');
      const rules = this.#valid.get(file);
      if (rules) {
        this.#committed = committed;
        return rules;
      }
    }
    const changed = this.#committed !== undefined && committed !== this.#committed;
    this.#committed = committed;
    return (changed ? this.#valid.get(`${committed}\n`) : undefined) ?? this.now;
  }

  /** A command that was given after the last deed has come back: only the last rules are in force from now on. */
  settled(at: number): void {
    for (const span of this.spans.slice(0, -1)) span.until = Math.min(span.until, at);
  }

  /** Rules by which a landing that came between the two moments may have been judged. */
  between(after: number, before: number): Rules[] {
    return this.spans.filter((span) => span.from <= before && span.until >= after).map(({ rules }) => rules);
  }
}
