import { describe, expect, it } from 'vitest';
import { keepSecrets, redact, redactedJson } from '../../src/platform/redact.ts';
import { streamRedactor } from '../../src/platform/secrets/stream.ts';
import { CANARIES, ENCODINGS, leaksIn } from '../support/canaries.ts';

keepSecrets(Object.fromEntries(CANARIES.map((value, n) => [`CANARY_${n}_TOKEN`, value])));

/** One of each kind: a stream in pieces of three letters takes long. */
const FEW = [0, 8, 12, 15, 17].map((n) => CANARIES[n]!);

describe.each(Object.entries(ENCODINGS))('a secret written as %s', (_name, encode) => {
  it('is hidden in a text, in JSON made of it, and in a stream cut anywhere', () => {
    for (const secret of CANARIES) {
      const text = `before ${encode(secret)} after`;
      expect(leaksIn(text), 'the test sees it').not.toEqual([]);
      expect(leaksIn(redact(text))).toEqual([]);
      expect(leaksIn(redactedJson({ text, list: [text] }))).toEqual([]);
      for (const size of FEW.includes(secret) ? [3, 64] : [64]) {
        const stream = streamRedactor();
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g'))!.map((piece) => stream.write(piece));
        expect(leaksIn([...pieces, stream.end()].join('')), `pieces of ${size}`).toEqual([]);
      }
    }
  });
});

it.each([
  ['a key at the beginning of a line of JSON', { text: 'x\nsk-ant-abcdefghijklmnopqrstuvwx' }, 'abcdefghijkl'],
  [
    'a private key that is in no variable',
    { text: 'a\n-----BEGIN RSA PRIVATE KEY-----\nMIIEabcdefghijkl\nMIIFabcd\n-----END RSA PRIVATE KEY-----\nb' },
    'MII',
  ],
  ['a private key that was cut off', { text: '-----BEGIN PRIVATE KEY-----\nMIIEabcdefghijkl' }, 'MIIE'],
])('%s is known by its look', (_what, value, part) => {
  expect(JSON.stringify(value)).toContain(part);
  expect(redactedJson(value)).not.toContain(part);
});

it('passwords in addresses are secrets, places and short values are not', () => {
  keepSecrets({
    DATABASE_URL: 'postgres://app:hunter2hunter2@db/x',
    SSH_AUTH_SOCK: '/run/agent.sock',
    API_TOKEN: 'short',
    MODE: 'development',
  });
  const text = 'postgres://app:hunter2hunter2@db/x /run/agent.sock short development';
  expect(redact(text)).toBe('postgres://app:…@db/x /run/agent.sock short development');
});

it('hides nothing of a text without secrets', () => {
  const text = 'commit 0123456789abcdef0123456789abcdef01234567\nchecks passed in 12 s: npm test';
  expect(redact(text)).toBe(text);
  const stream = streamRedactor();
  expect([...text].map((one) => stream.write(one)).join('') + stream.end()).toBe(text);
});

it('a long text without a line end is read once, not once for each of its letters: a hook may carry megabytes', () => {
  // The time limit of a test ends what grows with the square of the length.
  for (const text of ['x'.repeat(1_000_000), 'ab+/'.repeat(250_000), 'A1_'.repeat(300_000)]) expect(redact(text) === text).toBe(true);
});
