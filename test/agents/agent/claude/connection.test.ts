import { appendFile, mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Link } from '../../../../src/agents/agent/driver.ts';
import { claude } from '../../../../src/agents/agent/drivers/claude/index.ts';
import { costOf, liftedAt } from '../../../../src/agents/agent/drivers/claude/spending.ts';
import { type AgentEvent, PASS } from '../../../../src/agents/agent/event.ts';
import { type Place, place, recorded, recordedLines } from './support.ts';

/** What a daemon hears by a connection; `until` ends as soon as it has heard such a thing. */
function listener(here: Place, more: Partial<Link> = {}) {
  const heard: AgentEvent[] = [];
  let waiting: (() => void)[] = [];
  const end = new AbortController();
  const warnings: string[] = [];
  const link: Link = {
    request: here.request(),
    fresh: true,
    session: undefined,
    transcript: undefined,
    signal: end.signal,
    async heard(event, source) {
      expect(source).toBe('transcript');
      heard.push(event);
      for (const wake of waiting.splice(0)) wake();
      return PASS;
    },
    warn: (text) => warnings.push(text),
    tell: async () => {},
    ...more,
  };
  const until = async (such: (event: AgentEvent) => boolean): Promise<AgentEvent> => {
    for (;;) {
      const found = heard.find(such);
      if (found) return found;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting = [...waiting, resolve];
      await promise;
    }
  };
  return { link, heard, until, warnings, end: () => end.abort() };
}

const on = (kind: AgentEvent['on']) => (event: AgentEvent) => event.on === kind;

/** Where a claude in this worktree writes by custom. */
function usual(here: Place) {
  const { worktree, session } = here.request();
  return join(here.user, '.claude/projects', worktree.replaceAll(/[^a-zA-Z0-9]/g, '-'), `${session}.jsonl`);
}

async function write(file: string, lines: readonly string[]) {
  await mkdir(dirname(file), { recursive: true });
  await appendFile(file, lines.map((line) => `${line}\n`).join(''));
}

const interrupted = recordedLines('interrupted.jsonl');
const conversation = recordedLines('conversation.jsonl');
const failed = recordedLines('failed.jsonl');

describe("the way to claude's transcript", () => {
  it('tells of an interrupt and of what was used, in a file that comes later', async () => {
    await using here = await place();
    const { link, until, heard, warnings, end } = listener(here);
    await claude.connect?.(link);
    expect(heard).toEqual([]);
    await write(usual(here), interrupted);
    await until(on('interrupted'));
    expect(await until((event) => event.on === 'usage' && event.usage.input === 67_514)).toMatchObject({ session: link.request.session });
    expect(warnings).toEqual([]);
    end();
  });

  it('leaves the end of a turn to the hooks while they arrive', async () => {
    await using here = await place();
    const { link, until, heard, end } = listener(here);
    await claude.connect?.(link);
    await write(usual(here), conversation);
    await write(usual(here), interrupted);
    await until(on('interrupted'));
    expect(heard.filter(on('turn-ended'))).toEqual([]);
    end();
  });

  it('a conversation that goes on is not told its past again', async () => {
    await using here = await place();
    await write(usual(here), interrupted);
    const { link, until, heard, end } = listener(here);
    await claude.connect?.(link);
    await until(on('usage'));
    await write(usual(here), conversation);
    await until((event) => event.on === 'usage' && event.usage.input > 67_514);
    expect(heard.map((event) => event.on).filter((kind) => kind !== 'usage')).toEqual([]);
    end();
  });

  const catchesUp = (lines: readonly string[], event: object | undefined) => async () => {
    await using here = await place();
    await write(usual(here), lines);
    const { link, until, heard, end } = listener(here, { fresh: false });
    await claude.connect?.(link);
    if (event) await until((one) => one.on !== 'usage');
    else await until(on('usage'));
    expect(heard.filter((one) => one.on !== 'usage')).toEqual(event ? [expect.objectContaining(event)] : []);
    end();
  };
  it('a daemon that comes back hears of the turn that ended', catchesUp(conversation, { on: 'turn-ended', last: 'Done.' }));
  it('a daemon that comes back hears of the turn that failed', catchesUp(failed, { on: 'turn-failed', why: 'overloaded' }));
  it('a daemon that comes back hears of the interrupt', catchesUp(interrupted, { on: 'interrupted' }));
  it('a daemon that comes back in a turn hears nothing of it', catchesUp(interrupted.slice(0, 15), undefined));

  it('tells of the end of a turn itself when the hooks go to a daemon that is no more', async () => {
    await using here = await place();
    const request = here.request();
    await writeFile(join(request.folder, 'settings.json'), (await claude.launch(request)).files[0]!.text);
    const { link, until, end } = listener(here, {
      fresh: false,
      request: { ...request, hook: { ...request.hook, url: 'http://127.0.0.1:9999/hook/7' } },
    });
    await claude.connect?.(link);
    await write(usual(here), conversation);
    await until(on('turn-ended'));
    end();
  });

  it('follows the transcript that the first hook named', async () => {
    await using here = await place();
    const named = join(here.base, 'elsewhere', 'x.jsonl');
    const { link, until, end } = listener(here);
    await claude.connect?.(link);
    (link as { transcript: string }).transcript = named;
    await write(named, interrupted);
    await writeFile(join(link.request.folder, 'status.42.first'), recorded('status.json'));
    await until(on('usage'));
    end();
  });

  it('finds a stamp, and says no only of a transcript at rest', async () => {
    await using here = await place();
    const { link, end } = listener(here);
    const connection = await claude.connect?.(link);
    expect(await connection?.seen('[furrow m7]')).toBeUndefined();
    await write(usual(here), conversation);
    expect(await connection?.seen('[furrow m7]')).toBe(true);
    expect(await connection?.seen('[furrow m8888]')).toBeUndefined();
    await utimes(usual(here), 1, 1);
    expect(await connection?.seen('[furrow m8888]')).toBe(false);
    await connection?.close();
    await connection?.close();
    end();
  });
});

describe('what it cost', () => {
  const status = (session: string, usd: number, more: object = {}) => ({ session_id: session, cost: { total_cost_usd: usd }, ...more });
  const process = (from: number, to: number, session = 's') => ({ first: status(session, from), last: status(session, to) });
  const costs = (told: Parameters<typeof costOf>[0], usd: number | undefined) => () => {
    if (usd === undefined) expect(costOf(told, 's')).toBeUndefined();
    else expect(costOf(told, 's')).toBeCloseTo(usd, 9);
  };
  it('is what the process says', costs([process(0, 0.3)], 0.3));
  it('goes on after a clean exit', costs([process(0, 0.3), process(0.3, 0.5)], 0.5));
  it('starts anew after a kill', costs([process(0, 0.3), process(0, 0.2)], 0.5));
  it('of a first status that came late is not taken for a whole', costs([process(0, 0.3), process(0.05, 0.2), process(0.2, 0.4)], 0.7));
  it('of another conversation is not ours', costs([process(0, 9, 'other')], undefined));

  it('comes with the tokens, from what the status line left', async () => {
    await using here = await place();
    const { link, until, end } = listener(here, {
      session: 'd41e9dfd-4d99-4d99-acb1-9c7dab55c6dd',
      transcript: join(here.base, 'x.jsonl'),
    });
    await write(link.transcript!, interrupted);
    await claude.connect?.(link);
    for (const which of ['first', 'last'])
      await writeFile(join(link.request.folder, `status.42.${which}`), recorded('status.json').replaceAll('\n', ''));
    const found = await until((event) => event.on === 'usage' && event.usage.usd !== undefined);
    expect(found).toMatchObject({ usage: { usd: 0.32382, context: 0.01, input: 67_514, model: 'claude-opus-5-5' } });
    end();
  });

  it('is on the bill of one without a screen', async () => {
    await using here = await place();
    const { link, until, end } = listener(here, { request: here.request({ settings: { mode: 'headless' } }) });
    await claude.connect?.(link);
    await write(usual(here), conversation);
    await write(join(link.request.folder, 'stream.jsonl'), ['{"type":"result","subtype":"success","total_cost_usd":0.144956}']);
    await until((event) => event.on === 'usage' && event.usage.usd === 0.144956);
    end();
  });

  it('a limit that is used up says when it is lifted', () => {
    const rate_limits = {
      five_hour: { used_percentage: 100, resets_at: 1_800_000_000 },
      seven_day: { used_percentage: 40, resets_at: 1_900_000_000 },
    };
    expect(liftedAt({ first: {}, last: { rate_limits } })).toBe(1_800_000_000_000);
    expect(liftedAt({ first: {}, last: {} })).toBeUndefined();
  });
});
