import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { FORGES } from '../../../src/repo/forge/forge.ts';
import { openForge } from '../../../src/repo/forge/open.ts';
import { forgeServer, PROJECT, type ServedIssue, TOKEN } from './server.ts';

const ISSUES: readonly ServedIssue[] = [
  { number: 1, title: 'Prices', body: 'Show them', labels: ['furrow', 'ui'] },
  { number: 2, title: 'Other', labels: ['ui'] },
  { number: 3, title: 'Round', body: null, labels: ['furrow'] },
  { number: 4, title: 'A change', labels: ['furrow'], isChange: true },
  { number: 5, title: 'Done', labels: ['furrow'], state: 'closed' },
  { number: 6, title: 'Help', labels: ['furrow'], author: 'eve' },
];

const send =
  (status: number, headers: Record<string, string | number> = {}, text = '{}') =>
  (response: ServerResponse): void => {
    response.writeHead(status, headers).end(text);
  };

describe.each(FORGES)('%s', (kind) => {
  it('lists the open issues with a label, over all pages, the oldest first, and no changes', async () => {
    await using server = await forgeServer(kind, [...ISSUES]);
    const found = await openForge(server.place, TOKEN).issues('furrow');
    expect(found.map(({ number, author }) => [number, author])).toEqual([
      [1, 'bob'],
      [3, 'bob'],
      [6, 'eve'],
    ]);
    expect(found[0]).toMatchObject({ title: 'Prices', body: 'Show them', labels: ['furrow', 'ui'], state: 'open' });
    expect(found[1]!.body).toBe('');
    expect(found[0]!.url).toMatch(new RegExp(`/${PROJECT}/.*issues/1$`));
    expect(await openForge(server.place, TOKEN).issues('nobody made it')).toEqual([]);
  });

  it('reads one issue, also a closed one, and says who the token belongs to', async () => {
    await using server = await forgeServer(kind, [...ISSUES], true);
    const forge = openForge(server.place, TOKEN);
    expect(await forge.issue(5)).toMatchObject({ number: 5, title: 'Done', state: 'closed' });
    expect((await forge.whoAmI()).name).toBe('ann');
    await expect(forge.issue(99)).rejects.toThrow(/knows no .*issues\/99/);
    await expect(openForge(server.place, undefined).issue(5)).rejects.toThrow(/without a token/);
  });

  it.each([
    ['a wrong token', send(401), /does not accept the token/],
    ['a right that lacks', send(403), /does not let this token read/],
    ['a spent limit', send(403, { 'x-ratelimit-remaining': 0, 'x-ratelimit-reset': 1_900_000_000 }), /until 2030-03-17T17:46Z/],
    ['too many questions', send(429, { 'retry-after': 30 }), /for 30 seconds/],
    ['a failure', send(502), /failed \(HTTP 502\)/],
    ['another place', send(301, { location: 'http://127.0.0.1:1/' }), /redirects furrow/],
    ['another shape', send(200, {}, '[{"number":"one"}]'), /in a form that furrow does not understand/],
    ['no JSON', send(200, {}, '<html>'), /in a form that furrow does not understand/],
    [
      'half an answer',
      (response: ServerResponse): void => {
        response.writeHead(200, { 'content-length': 100 }).write('[', () => response.destroy());
      },
      /ended its answer early/,
    ],
    ['no answer', (response: ServerResponse): void => void response.destroy(), /does not answer/],
  ] as const)('names what happened: %s; and never the token', async (_, instead, says) => {
    await using server = await forgeServer(kind, [...ISSUES]);
    server.instead = instead;
    const error = await openForge(server.place, TOKEN)
      .issues('furrow')
      .then(
        () => undefined,
        (thrown: Error) => thrown,
      );
    expect(error?.message).toMatch(says);
    expect(JSON.stringify([error, error?.message, error?.stack, error?.cause])).not.toContain(TOKEN);
  });

  it('takes no next page from another host', async () => {
    await using server = await forgeServer(kind, [...ISSUES]);
    await using other = await forgeServer(kind, [...ISSUES]);
    server.instead = send(200, { link: `<${other.place.api}/next>; rel="next"` }, '[]');
    expect(await openForge(server.place, TOKEN).issues('furrow')).toEqual([]);
    expect(other.asked).toEqual([]);
  });
});

it('asks nothing in clear text but on this machine', () => {
  const place = { kind: 'gitea', host: 'git.example.org', api: 'http://git.example.org/api/v1', project: PROJECT } as const;
  expect(() => openForge(place, TOKEN)).toThrow(/not encrypted/);
});
