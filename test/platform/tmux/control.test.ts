import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ControlEvent, controlParser } from '../../../src/platform/tmux/control.ts';

const block = (number: number, lines: string[], end = 'end', flags = 1) =>
  [`%begin 99 ${number} ${flags}`, ...lines, `%${end} 99 ${number} ${flags}`].join('\n').concat('\n');

function read(seals: string[], stream: string, size = stream.length): ControlEvent[] {
  const parser = controlParser();
  for (const seal of seals) parser.expect(seal);
  const events: ControlEvent[] = [];
  for (let at = 0; at < stream.length; at += size) events.push(...parser.feed(stream.slice(at, at + size)));
  return events;
}

const reply = (lines: string[], error?: string): ControlEvent => ({ on: 'reply', reply: { lines, error } });

it('joins what the commands of one line printed', () => {
  expect(read(['s'], block(1, ['@1 %1']) + block(2, []) + block(3, ['%2']) + block(4, ['s']))).toEqual([reply(['@1 %1', '%2'])]);
});

it('says which command failed', () => {
  expect(read(['s'], block(1, ['x']) + block(2, ["can't find pane: %9"], 'error') + block(3, ['s']))).toEqual([
    reply(['x'], "can't find pane: %9"),
  ]);
});

it('leaves blocks of hooks and of the attach aside, and hears notifications around replies', () => {
  const stream = `${block(1, ['not ours'], 'end', 0)}%window-add @1\n${block(2, ['a'])}%window-close @1\n${block(3, [], 'end', 0)}${block(4, ['s'])}%exit\n`;
  expect(read(['s'], stream)).toEqual([
    { on: 'note', line: '%window-add @1' },
    reply(['a']),
    { on: 'note', line: '%window-close @1' },
    { on: 'note', line: '%exit' },
  ]);
});

it('cannot be led astray by captured text that forges the end of its block, however the bytes arrive', () => {
  const line = fc.constantFrom(
    '%end 99 1 1',
    '%error 99 1 1',
    '%begin 99 2 1',
    '%end 99 2 1',
    '%begin 99 1 1',
    '%exit',
    'guess',
    'text',
    '',
  );
  fc.assert(
    fc.property(fc.array(line), fc.integer({ min: 1, max: 40 }), (screen, size) => {
      const stream = block(1, screen) + block(2, ['seal']) + block(3, ['next']) + block(4, ['seal-2']);
      expect(read(['seal', 'seal-2'], stream, size)).toEqual([reply(screen), reply(['next'])]);
    }),
  );
});
