import { connect } from 'node:net';
import { calls } from '../../../src/api/contract.ts';
import type { Pick } from './http.ts';

const NAMES = Object.keys(calls) as (keyof typeof calls)[];

export interface LineCase {
  readonly text: string;
  /** `result`, `error`, or `end`: hung up on. */
  readonly expected: 'result' | 'error' | 'end';
}

/** The keys that a call must have. Asked of the whole: a field that takes any value has to be there, too. */
const required = (name: keyof typeof calls) => calls[name].in.safeParse({}).error?.issues ?? [];

/** One line to the socket of people: calls with arguments of every wrong type, lines that are no requests, endless ones. */
export function lineCase(pick: Pick, roll: () => number): LineCase {
  const name = pick(NAMES);
  const line = (call: unknown, args: unknown) => `${JSON.stringify({ id: 7, call, args })}\n`;
  const kind = roll();
  if (kind < 0.55) {
    const wrong = pick<unknown>([null, 7, true, [], {}, [7], { a: 1 }, Number.MAX_VALUE, new Array(50).fill([])]);
    const keys = Object.keys(calls[name].in.shape);
    // Every field is wrong: an object where a list or a text belongs, and a text that no number reads as.
    const args = Object.fromEntries(keys.map((key) => [key, wrong === null ? { no: 1 } : { wrong }]));
    return { text: line(name, args), expected: keys.length === 0 ? 'result' : 'error' };
  }
  if (kind < 0.65) return { text: line(name, pick<unknown>(['text', 7, [1], true])), expected: 'error' };
  if (kind < 0.75) return { text: line(name, {}), expected: required(name).length === 0 ? 'result' : 'error' };
  if (kind < 0.85)
    return {
      text: line(
        pick<unknown>(['toString', '__proto__', 'constructor', '', 7, null, {}, [], `${name} `, name.toUpperCase(), 'x'.repeat(1000)]),
        {},
      ),
      expected: 'error',
    };
  if (kind < 0.98)
    return {
      text: `${pick(['', '{', '[]', 'null', '7', '"x"', '\u0000\u001b[2J', '{"id":1', 'GET / HTTP/1.1\r', '\ufffd'.repeat(100), '['.repeat(10_000)])}\n`,
      expected: 'error',
    };
  if (kind < 0.99) return { text: 'x'.repeat(2 * 1024 * 1024), expected: 'end' };
  return { text: '{"id":7', expected: 'end' };
}

/** Says the line after the greeting, and answers what came back first. */
export function say(path: string, { text }: LineCase): Promise<LineCase['expected'] | 'greeting'> {
  return new Promise((resolve) => {
    const socket = connect(path);
    let [said, got] = ['', 'end' as LineCase['expected']];
    socket.on('error', () => {});
    socket.on('close', () => resolve(got));
    socket.setEncoding('utf8').on('data', (piece: string) => {
      said += piece;
      const reply = said.split('\n').slice(1, -1).find(Boolean);
      if (reply === undefined) return;
      got = 'error' in (JSON.parse(reply) as object) ? 'error' : 'result';
      socket.destroy();
    });
    socket.write(`{"hello":{"pid":${process.pid},"fd":null}}\n${text}`);
  });
}
