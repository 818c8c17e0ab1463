import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { findLimitWays } from '../../src/platform/process/limits.ts';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import { needs } from '../support/needs.ts';
import { commits, SHELL, shellRepo } from './shell.ts';

needs('bwrap');

/** Notes in a file of the worktree whether something worked; the file lands with the work. */
const notes = (what: string, command: string) =>
  `if ${command} >/dev/null 2>&1; then echo ${what}=yes; else echo ${what}=no; fi >> src/seen.txt`;

/** A program outside that answers at a port of this machine. */
async function listener() {
  const server = createServer((_asked, answer) => answer.end('hello')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: async () => void server.close() };
}

const call = (url: string) => `node -e 'fetch("${url}").then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))'`;

it('an agent under strict has a repository and a network of its own; its work lands', async () => {
  await using open = await listener();
  await using closed = await listener();
  const task = [
    notes('allowed', call(`http://127.0.0.1:${open.port}/`)),
    notes('forbidden', call(`http://127.0.0.1:${closed.port}/`)),
    notes('by-proxy', `env -u no_proxy -u NO_PROXY ${call(`http://localhost:${closed.port}/`)}`),
    notes('tag', 'git tag mine'),
    notes('stash', '(echo x >> check.sh && git stash && git stash pop && git checkout -q check.sh)'),
    notes('branch', 'git branch mine'),
    notes('objects', 'touch "$(git rev-parse --git-common-dir)/furrow/objects/planted"'),
    commits('1'),
    'furrow progress half-way',
  ].join('\n');
  const check = `if ${call(`http://127.0.0.1:${closed.port}/`)}; then echo the check has a network; exit 1; fi\n${call(`http://127.0.0.1:${open.port}/`)}\n`;
  const config = `isolation: strict\nfence: { network: ["localhost:${open.port}"] }\n`;
  await using repo = await shellRepo({ 1: task }, `${SHELL}${config}`, { 'check.sh': check });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  const done = await running.furrow('work', '--parallel', '1');
  expect(done, done.stdout + done.stderr).toMatchObject({ code: 0 });
  const seen = (await repo.git('show', 'main:src/seen.txt')).split('\n');
  expect(seen).toEqual(['allowed=yes', 'forbidden=no', 'by-proxy=no', 'tag=yes', 'stash=yes', 'branch=yes', 'objects=no']);
  expect((await running.ask('status')).isolation).toEqual({ level: 'strict', why: null });
  const refused = (await running.events()).filter(({ kind }) => kind === 'network.refused');
  expect(refused.map(({ text }) => text).join('\n')).toContain(`port ${closed.port} of it is not in fence.network`);
  expect(await repo.git('tag', '--list')).toBe('');
  expect((await running.events()).map(({ text }) => text).join('\n')).toContain('half-way');
});

it.runIf(findLimitWays().memory)('an attempt that uses more memory than it may is ended, and says why', async () => {
  const eat = `node -e 'const all=[];for(let i=0;i<64;i++)all.push(Buffer.alloc(16*1024*1024,1))'`;
  const config = 'isolation: guard\nattempts: 1\nlimits: { memory: 256m, processes: 500 }\n';
  await using repo = await shellRepo({ 1: `${eat} || exit 9\n${commits('1')}` }, `${SHELL}${config}`);
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1');
  const ended = (await running.events()).find(({ kind }) => kind === 'attempt.ended');
  expect(ended?.text).toContain('limits.memory');
});
