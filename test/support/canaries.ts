import { createHash } from 'node:crypto';

const letters = (n: number, what: string) => createHash('sha256').update(`${what}${n}`).digest('base64url').slice(0, 24);

const pem = (n: number) =>
  [
    '-----BEGIN OPENSSH PRIVATE KEY-----',
    ...[1, 2, 3].map((line) => letters(n, `line ${line} `) + letters(n, `rest ${line} `)),
    '-----END OPENSSH PRIVATE KEY-----',
  ].join('\n');

/** Twenty made-up secrets: plain words, ones that every encoding writes in another way, several lines, other letters. */
export const CANARIES: readonly string[] = Array.from({ length: 20 }, (_, n) => {
  if (n < 8) return `canary${letters(n, 'plain')}`;
  if (n < 12) return `can"ary'<${letters(n, 'odd')}>&\\ +/ ${n}%`;
  if (n < 15) return pem(n);
  if (n < 17) return `first ${letters(n, 'one')}\nsecond ${letters(n, 'two')}\n`;
  return `schlüssel-${letters(n, 'umlaut')}-日本`;
});

const base64 = (text: string) => Buffer.from(text).toString('base64');
const json = (text: string) => JSON.stringify(text).slice(1, -1);

/** The ways in which a secret turns up: as it is, and inside of what a program has encoded. */
export const ENCODINGS: Readonly<Record<string, (secret: string) => string>> = {
  raw: (secret) => `key=${secret};`,
  json: (secret) => JSON.stringify({ a: `\n${secret}` }),
  'json in json': (secret) => JSON.stringify(JSON.stringify({ a: secret })),
  base64: (secret) => base64(secret),
  'base64 inside': (secret) => base64(`user:${secret}@host`),
  'base64 of an address': (secret) => Buffer.from(`ab${secret}!`).toString('base64url'),
  'base64 in lines': (secret) => base64(`${'x'.repeat(50)}${secret}${'y'.repeat(50)}`).replace(/.{64}/g, '$&\n'),
  address: (secret) => `https://host/?q=${encodeURIComponent(secret)}`,
  form: (secret) => new URLSearchParams({ q: secret }).toString(),
  hex: (secret) => Buffer.from(secret).toString('hex'),
  HEX: (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  xml: (secret) => secret.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;').replace(/'/g, '&#39;'),
  shell: (secret) => `'${secret.replaceAll("'", `'\\''`)}'`,
  lines: (secret) =>
    secret
      .split('\n')
      .map((line, at) => `${at}: ${line}`)
      .join('\n'),
};

/** The pieces that give a secret away: every long run of its letters, as the encodings write it. */
export function leaksIn(text: string): string[] {
  const joined = text.replace(/\s+/g, '');
  return CANARIES.flatMap((secret, n) => {
    const parts = secret.split(/[^A-Za-z0-9_-]+/).filter((part) => part.length >= 20 && !/PRIVATE/.test(part));
    return parts.flatMap((part) => {
      const forms = { raw: part, json: json(part), hex: Buffer.from(part).toString('hex') };
      const told = Object.entries(forms).filter(([, form]) => text.toLowerCase().includes(form.toLowerCase()));
      const encoded = [0, 1, 2].some(
        (before) =>
          joined.includes(base64(`${'\0'.repeat(before)}${part}`).slice(4, 4 + 20)) ||
          joined.includes(
            Buffer.from(`${'\0'.repeat(before)}${part}`)
              .toString('base64url')
              .slice(4, 4 + 20),
          ),
      );
      return [...told.map(([form]) => `canary ${n} as ${form}`), ...(encoded ? [`canary ${n} as base64`] : [])];
    });
  });
}
