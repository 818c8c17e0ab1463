import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Out } from '../../src/api/contract.ts';
import { FAMILIES } from '../../src/tell/metrics/families.ts';
import { writeBoard } from '../support/board.ts';
import { farm, killDaemon } from '../support/farm.ts';
import { metricsShape, tracesShape } from '../tell/metrics/shape.ts';
import { commits, shellRepo } from './shell.ts';

/** The series of an exposition with their values. */
const series = (text: string) =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );

it('metrics say what status says, go on after a kill, and reach Prometheus and a collector; agents see nothing of that', async () => {
  const got: { path: string; auth: string; body: unknown }[] = [];
  const collector = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    got.push({ path: request.url!, auth: request.headers.authorization ?? '', body: JSON.parse(body) });
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const red = `if [ "$FURROW_ATTEMPT" = 1 ]; then echo bad > src/2.txt; else echo good > src/2.txt; fi; git add -A src; git commit -qm 2`;
  await using repo = await shellRepo({ 1: `env > "$HOME/env"; ${commits('1')}`, 2: red });
  Object.assign(repo.env, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collectors-own-token',
    OTEL_METRIC_EXPORT_INTERVAL: '200',
  });
  await writeBoard(repo, [{ id: 1 }, { id: 2 }, { id: 3, status: 'backlog', more: { blocked: true, block_reason: 'later' } }]);
  await using running = farm(repo);
  expect((await running.furrow('work', '--parallel', '2')).code).toBe(1);

  const text = (await running.furrow('metrics')).stdout;
  const found = series(text);
  const status = (await running.ask('status')) as Out<'status'>;
  for (const [state, n] of Object.entries(status.tasks)) expect(found.get(`furrow_tasks{state="${state}"}`)).toBe(n);
  const queue = (await running.ask('queue')) as Out<'queue'>;
  expect(found.get('furrow_landings_total')).toBe(queue.landings.length);
  for (const state of ['landed', 'rejected', 'conflict'])
    expect(found.get(`furrow_entries_total{state="${state}"}`)).toBe(queue.entries.filter((one) => one.state === state).length);
  expect(found.get('furrow_entries_total{state="rejected"}')).toBe(1);
  const { checks } = (await running.ask('queue', '--flakes')) as Out<'flakes'>;
  expect(found.get('furrow_check_runs_total{check="check",outcome="pass"}')).toBe(checks[0]!.passes);
  expect(found.get('furrow_check_seconds_count{check="check"}')).toBe(checks[0]!.runs - checks[0]!.errors);
  expect(found.get('furrow_attempts_total{kind="sh",outcome="submitted"}')).toBe(3);
  expect(found.get(`furrow_build_info{version="${status.farm.version}"}`)).toBe(1);
  expect(found.get('furrow_tick_seconds_count')).toBeGreaterThan(0);
  for (const { name, kind } of FAMILIES) expect(text).toContain(`# TYPE ${name} ${kind}\n`);

  // What the dashboard asks for is there, by the very names.
  const dashboard = await readFile(new URL('../../docs/grafana/furrow.json', import.meta.url), 'utf8');
  const told = new Set([...text.matchAll(/^(?:# TYPE )?(furrow_[a-z_]+)/gm)].map(([, name]) => name));
  for (const [name] of dashboard.matchAll(/furrow_[a-z_]+/g)) expect(told.has(name) || told.has(name.replace(/_bucket$/, ''))).toBe(true);

  // At the page's door, for whoever has the token that only reads.
  const { port, token } = (await running.ask('web', '--read-only', '--no-open')) as Out<'web'>;
  const at = `http://127.0.0.1:${port}/metrics`;
  const answer = await fetch(at, { headers: { authorization: `Bearer ${token}` } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  expect(series(await answer.text()).get('furrow_landings_total')).toBe(queue.landings.length);
  expect((await fetch(at)).status).toBe(401);

  // The collector has the attempts as traces, each under one id, whatever happens to the daemon.
  const spans = () =>
    got.filter(({ path }) => path === '/v1/traces').flatMap(({ body }) => tracesShape.parse(body).resourceSpans[0]!.scopeSpans[0]!.spans);
  const whole = () => spans().filter(({ name }) => name === 'attempt');
  await expect.poll(() => new Set(whole().map(({ traceId }) => traceId)).size).toBe(3);
  await killDaemon(running);
  const after = series((await running.furrow('metrics')).stdout);
  const lasting = [...found].filter(([name]) => /_(total|bucket|count)(\{|$)/.test(name) && !/tick|events/.test(name));
  expect(lasting.filter(([name, value]) => after.get(name) !== value)).toEqual([]);
  const before = got.length;
  await expect.poll(() => got.length).toBeGreaterThan(before + 2);
  expect(new Set(whole().map(({ traceId }) => traceId)).size).toBe(3);
  const metrics = got.filter(({ path }) => path === '/v1/metrics');
  for (const { body, auth } of metrics) {
    metricsShape.parse(body);
    expect(auth).toBe('Bearer collectors-own-token');
  }
  expect(JSON.stringify(metrics.at(-1)!.body)).toContain('furrow_entries_total');
  expect(await readFile(join(repo.home, 'env'), 'utf8')).not.toMatch(/OTEL|collectors-own-token/);
  collector.closeAllConnections();
  collector.close();
});
