import { stat } from 'node:fs/promises';
import { toAwake } from '../../../platform/clock.ts';
import { hangsFrom, hangText, type RunningFacts, usualOf } from '../../../queue/hanging.ts';
import { wakeAt } from '../../farm/alarm.ts';
import type { Host } from '../host.ts';

type Watched = Pick<Host, 'leader' | 'clock' | 'wake' | 'alarm' | 'commandsRunning' | 'report'>;

interface Hanging {
  readonly log: string;
  readonly check: string;
  readonly text: string;
}

/** The checks that hang now. Worked out when somebody asks: nothing looks at a check while it runs. */
export async function hangingChecks(farm: Watched): Promise<Hanging[]> {
  if (farm.commandsRunning.size === 0) return [];
  const now = farm.clock.awake();
  return (await factsOf(farm)).flatMap((facts) => {
    const text = hangText(facts, now);
    return text === undefined ? [] : [{ log: facts.log, check: facts.name, text }];
  });
}

const USUAL_RUNS = 20;

async function factsOf(farm: Watched): Promise<RunningFacts[]> {
  const usual = new Map<string, number | undefined>();
  const facts: RunningFacts[] = [];
  for (const { check, log } of await farm.leader.checks.running()) {
    const started = farm.commandsRunning.get(log);
    if (started === undefined) continue;
    if (!usual.has(check.id)) usual.set(check.id, await usualTime(farm, check.id));
    const grew = await stat(log).then(
      ({ mtimeMs }) => Math.max(started, toAwake(farm.clock, Math.round(mtimeMs))),
      () => started,
    );
    facts.push({ name: check.name, started, grew, timeoutMs: check.timeoutMs, usualMs: usual.get(check.id), log });
  }
  return facts;
}

async function usualTime({ leader }: Watched, check: string): Promise<number | undefined> {
  return usualOf(await leader.checks.passTimes(check, USUAL_RUNS));
}

/** One that is known to hang is looked at again after this: it may have gone on. */
const AGAIN_MS = 30_000;
const KIND = 'hanging';

/** Keeps a question open about every check that hangs. */
export class HangingWatch {
  readonly #farm: Watched;
  /** The logs of the commands that ran at the last look, and the latest time of the next look. */
  #running = '';
  #next = 0;
  /** Names of checks with an open question; undefined: not yet read. */
  #told: Set<string> | undefined;

  constructor(farm: Watched) {
    this.#farm = farm;
  }

  /** Looks only when a check began or ended, and at the one moment at which a silent one would count as hanging. */
  async look(): Promise<void> {
    const farm = this.#farm;
    this.#told ??= new Set(await farm.leader.checks.hanging());
    const told = this.#told;
    const now = farm.clock.awake();
    const running = [...farm.commandsRunning.keys()].join('\n');
    if (running === this.#running && (running === '' || now < this.#next)) return;
    const facts = running === '' ? [] : await factsOf(farm);
    const texts = new Map<string, string | undefined>();
    for (const one of facts) texts.set(one.name, texts.get(one.name) ?? hangText(one, now));
    for (const [name, text] of texts) if (text !== undefined) await ask(farm, told, name, text);
    for (const name of told) if (texts.get(name) === undefined) await close(farm, told, name);
    this.#running = running;
    this.#next = Math.min(...facts.map((one) => Math.max(hangsFrom(one), texts.get(one.name) === undefined ? 0 : now + AGAIN_MS)));
    if (facts.length > 0) wakeAt(farm, this.#next);
  }
}

async function ask({ report }: Watched, told: Set<string>, name: string, reason: string): Promise<void> {
  await report({ questions: [{ kind: KIND, subject: name, reason, task: null }] });
  told.add(name);
}

async function close({ report }: Watched, told: Set<string>, name: string): Promise<void> {
  await report({ closed: [{ kind: KIND, subject: name, answer: 'the check went on or ended' }] });
  told.delete(name);
}
