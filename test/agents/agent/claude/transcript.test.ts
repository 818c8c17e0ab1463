import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds, transcript } from '../../../../src/agents/agent/drivers/claude/transcript.ts';
import { tail } from '../../../../src/agents/agent/drivers/tail.ts';
import { runs } from '../../../support/all.ts';
import { place, recordedLines } from './support.ts';

const readAll = (lines: readonly string[]) => {
  const read = transcript();
  const standings = lines.map((line) => read.take(line)).filter((one) => one !== undefined);
  return { ...read, standings: standings.map((one) => one.at) };
};

describe("claude's transcript", () => {
  it('tells of a turn that ended, failed or was interrupted', () => {
    expect(readAll(recordedLines('conversation.jsonl')).standing()).toEqual({ at: 'ended', last: 'Done.' });
    expect(readAll(recordedLines('failed.jsonl')).standing()).toMatchObject({
      at: 'failed',
      error: 'server_error',
      said: expect.stringContaining('529'),
    });
    expect(readAll(recordedLines('interrupted.jsonl')).standing()).toEqual({ at: 'interrupted' });
  });

  it('an interrupt that let a waiting message through is none', () => {
    const lines = recordedLines('conversation.jsonl');
    expect(lines.some((line) => line.includes('[Request interrupted by user for tool use]'))).toBe(true);
    expect(readAll(lines).standings).not.toContain('interrupted');
  });

  it('somebody who only quotes an interrupt makes none', () => {
    const quoted = JSON.stringify({ type: 'user', message: { role: 'user', content: 'what is "[Request interrupted by user]"?' } });
    expect(readAll([quoted]).standing()).toEqual({ at: 'open' });
  });

  it('counts an answer once, though each of its parts has a line', () => {
    const lines = recordedLines('interrupted.jsonl');
    const { usage } = readAll(lines);
    const ids = new Set(lines.join('\n').match(/"id":"msg_[0-9a-f]+"/g));
    const parts = lines.filter((line) => line.includes('"id":"msg_')).length;
    expect(parts).toBeGreaterThan(ids.size);
    expect(usage()).toEqual({ input: 67_514, output: 64, cacheRead: 0, cacheWrite: 0, model: 'claude-opus-5-5' });
    expect(readAll([...lines, ...lines]).usage()).toEqual(usage());
  });

  const finds = (stamp: string, where: string | undefined) => () => {
    const found = recordedLines('conversation.jsonl').map((line) => holds(line, stamp));
    expect(found.find((one) => one === 'conversation') ?? found.find((one) => one === 'queue')).toBe(where);
  };
  it('holds what was told beside a result', finds('[furrow m7]', 'conversation'));
  it('holds what made a turn go on', finds('[furrow m9]', 'conversation'));
  it('holds what waited and was sent', finds('[furrow m20]', 'conversation'));
  it('holds what joined a running turn', finds('[furrow m21]', 'conversation'));
  it('does not hold what nobody sent', finds('[furrow m2]', undefined));
  it('knows what still waits in the queue', () => {
    const waiting = recordedLines('conversation.jsonl').filter((line) => line.includes('"operation":"enqueue"') && line.includes('m20'));
    expect(waiting.map((line) => holds(line, '[furrow m20]'))).toEqual(['queue']);
  });
  it("takes no tool's output, nor a reply on its way, for a message", () => {
    const output = { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', content: 'see [furrow m3]' }] } };
    const onItsWay = { type: 'attachment', attachment: { type: 'hook_success', stdout: '[furrow m3]' } };
    for (const line of [output, onItsWay]) expect(holds(JSON.stringify(line), '[furrow m3]')).toBeUndefined();
  });
});

describe('a file that is followed', () => {
  it('gives each line once and whole, however it is written', async () => {
    await using here = await place();
    let n = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 12 })),
        fc.array(fc.nat(40), { maxLength: 8 }),
        async (texts, cuts) => {
          const file = join(here.base, `t${n++}`, 'deeper', 'x.jsonl');
          const lines = texts.map((text) => JSON.stringify(text));
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
          const got: string[] = [];
          const failures: unknown[] = [];
          const following = tail(
            file,
            (some) => got.push(...some),
            (error) => failures.push(error),
          );
          try {
            await following.read();
            await mkdir(dirname(file), { recursive: true });
            for (let from = 0, i = 0; from < bytes.length; i++) {
              const to = from + 1 + (cuts[i] ?? bytes.length);
              await appendFile(file, bytes.subarray(from, to));
              await following.read();
              from = to;
            }
            expect(got).toEqual(lines);
            expect(failures).toEqual([]);
          } finally {
            following.close();
          }
        },
      ),
      { numRuns: runs(8) },
    );
  });

  it('is seen although neither it nor its folders were there, by watching alone', async () => {
    await using here = await place();
    const file = join(here.base, 'one', 'two', 'x.jsonl');
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    const following = tail(file, (lines, past) => !past && resolve(lines), resolve as never);
    try {
      await following.read();
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, 'a line\n');
      expect(await promise).toEqual(['a line']);
    } finally {
      following.close();
    }
  });
});
