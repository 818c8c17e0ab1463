import fc from 'fast-check';
import { expect, it } from 'vitest';
import { payloadOf, SHAPES } from '../../../src/tell/notice/payload.ts';
import type { Item } from '../../../src/tell/notice/rule.ts';
import { ringFor } from '../../../src/tell/notice/terminal-bell.ts';
import { wordsFor } from '../../../src/tell/notice/words.ts';

const item = (kind: Item['kind'], subject: string, text = 'why'): Item => ({ id: `question:1:${subject}`, kind, subject, text, at: 0 });

it.each<[string, Item[], string, string[]]>([
  ['one question', [item('needs-you', 'calm-otter', 'may I?')], 'app: 1 thing needs you', ['calm-otter: may I?']],
  ['the end of a work', [item('finished', 'default', '3 of 3')], 'app: work finished', ['default: 3 of 3']],
  [
    'several',
    [item('halted', 'main'), item('needs-you', '1'), item('needs-you', '2'), item('finished', 'x')],
    'app: the queue halted, 2 things need you, work finished',
    ['main: why', '1: why', '2: why', 'x: why'],
  ],
])('%s in words', (_what, items, title, lines) => {
  expect(wordsFor('app', items)).toEqual({ title, lines });
});

it('names the first few, and counts the rest', () => {
  const { lines } = wordsFor(
    'app',
    Array.from({ length: 9 }, (_, n) => item('needs-you', String(n))),
  );
  expect(lines).toEqual(['0: why', '1: why', '2: why', '3: why', 'and 5 more: furrow next']);
});

it('a key, an escape or a line break of an agent goes nowhere', () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const items = [item('needs-you', 'a', `use ${secret}\n\x1b]52;c;x\x07`)];
  const message = { key: 'k', farm: 'app', items, ...wordsFor('app', items) };
  for (const shape of SHAPES) {
    const { body, headers } = payloadOf(shape, message);
    expect(body).not.toContain(secret);
    expect(body).not.toContain('\x1b');
    expect(headers).toMatchObject({ 'idempotency-key': 'k' });
  }
  expect(JSON.parse(payloadOf('generic', message).body)).toMatchObject({
    key: 'k',
    farm: 'app',
    items: [{ id: 'question:1:a', since: '1970-01-01T00:00:00.000Z' }],
  });
});

it('Slack is told no link and no mention, ntfy an ASCII title', () => {
  const items = [item('needs-you', '<!channel>', '<http://evil|here> & ümlaut')];
  const message = { key: 'k', farm: 'äpp', items, ...wordsFor('äpp', items) };
  expect(JSON.parse(payloadOf('slack', message).body).text).toBe(
    '*äpp: 1 thing needs you*\n&lt;!channel&gt;: &lt;http://evil|here&gt; &amp; ümlaut',
  );
  expect(payloadOf('ntfy', message).headers['title']).toMatch(/^=\?UTF-8\?B\?[A-Za-z0-9+/=]+\?=$/);
});

it.each([
  ['kitty', 'xterm-kitty', '', /^\x1b\]99;i=furrow:d=0;T\x1b\\\x1b\]99;i=furrow:d=1:p=body;B\x1b\\\x07$/],
  ['iTerm2', 'xterm-256color', 'iTerm2 3.5', /^\x1b\]9;T: B\x1b\\\x07$/],
  ['foot', 'foot', '', /^\x1b\]777;notify;T;B\x1b\\\x07$/],
  ['VTE', 'xterm-256color', 'VTE(7600)', /^\x1b\]777;notify;T;B\x1b\\\x07$/],
  ['another tmux', 'tmux-256color', 'tmux 3.3a', /^\x07$/],
  ['a terminal that nobody knows', 'xterm', 'XTerm(390)', /^\x07$/],
])('%s gets what it understands', (_what, name, says, bytes) => {
  expect(ringFor({ name, says }, 'T', 'B')).toMatch(bytes);
});

it('words cannot end the sequence that carries them', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('xterm-kitty', 'foot', 'wezterm'), (text, name) => {
      const inside = ringFor({ name, says: '' }, text, text).replaceAll('\x1b\\', '').slice(0, -1).replaceAll('\x1b]', '');
      expect(inside).not.toMatch(/\p{Cc}/u);
    }),
  );
});
