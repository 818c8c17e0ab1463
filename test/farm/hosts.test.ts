import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readInvitation } from '../../src/hosts/invitation.ts';
import { askLeader, dial } from '../../src/hosts/link/dial.ts';
import { begin, farm, furrow, killDaemon, type TestFarm } from '../support/farm.ts';
import { ends, joins, joinsBy, machine } from '../support/hosts.ts';
import { skipWithout, without } from '../support/needs.ts';
import { allProcesses, lives } from '../support/processes.ts';
import { type Relay, relayTo } from '../support/relay.ts';
import { branchWith, gitRepo, type TestRepo } from '../support/repo.ts';

/** Notes for a witness outside of the farm where a check ran on which tree, and waits for `gate`. */
const CHECK = `printf '%s %s\\n' "$HOME" "$(git rev-parse 'HEAD^{tree}')" >> "$WITNESS/began"
while [ ! -e "$WITNESS/gate" ]; do sleep 0.05; done
if [ -e red ] && case "$HOME" in */machines/*) true;; *) false;; esac; then echo not on this machine; exit 1; fi
if grep -qs bad src/*; then echo bad; exit 1; fi
echo "passed below $HOME"
printf '%s %s\\n' "$HOME" "$(git rev-parse 'HEAD^{tree}')" >> "$WITNESS/ended"
`;

async function checkedRepo(more = 'queue: { slots: 1 }\n'): Promise<TestRepo> {
  const repo = await gitRepo({ 'README.md': 'x\n', 'check.sh': CHECK });
  await repo.write('furrow.yaml', `checks: [ { name: unit, run: sh check.sh, env: { WITNESS: "${repo.base}" } } ]\n${more}`);
  await repo.commit('configured');
  return repo;
}

const open = (repo: TestRepo) => writeFile(join(repo.base, 'gate'), '');
const lines = (repo: TestRepo, file: string) => {
  const path = join(repo.base, file);
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
};
const isOn = (name: string) => (line: string) => line.includes(`/machines/${name} `);
const stateOf = async (running: TestFarm, name: string): Promise<string | undefined> =>
  (await running.ask('hosts')).find((one: { name: string }) => one.name === name)?.state;
const landed = async (running: TestFarm): Promise<number> =>
  (await running.ask('queue')).landings.flatMap((one: { tasks: string[] }) => one.tasks).length;

/** An invitation that leads through a network which can be cut. */
const through = ({ port }: Relay, url: string) => url.replace(/:\d+\//, `:${port}/`);

async function submits(repo: TestRepo, running: TestFarm, ...names: string[]): Promise<void> {
  for (const name of names) {
    await branchWith(repo, name, { [`src/${name}.txt`]: `${name}\n` });
    expect(await running.furrow('submit', name)).toMatchObject({ code: 0 });
  }
}

/** A proof by a witness outside of the farm: every tree that landed was checked whole somewhere. */
async function assertEveryLandingWasChecked(repo: TestRepo, running: TestFarm): Promise<void> {
  const passed = new Set(lines(repo, 'ended').map((line) => line.split(' ')[1]));
  for (const { tree } of (await running.ask('queue')).landings) expect([...passed]).toContain(tree);
}

describe('a machine joins a farm', () => {
  it('with an invitation that is used once, and comes again with a key of its own, also to the next daemon', async () => {
    await using repo = await checkedRepo();
    await using running = farm(repo);
    expect(await running.ask('hosts')).toMatchObject([{ state: 'here' }]);
    await using lab = await joins(repo, running, 'lab', {}, '--labels', 'gpu', '--checks', '2');
    expect(await running.ask('hosts')).toMatchObject([
      { state: 'here' },
      { name: 'lab', state: 'joined', labels: expect.arrayContaining(['gpu']), checks: 2 },
    ]);
    const folder = join(lab.place.home, '.config/furrow/joined');
    const [kept] = readdirSync(folder);
    expect(statSync(join(folder, kept!)).mode & 0o777).toBe(0o600);
    const { key } = JSON.parse(readFileSync(join(folder, kept!), 'utf8'));
    expect(readFileSync(join(repo.root, '.furrow/store.db')).includes(key)).toBe(false);
    await killDaemon(running);
    expect(await running.furrow('status')).toMatchObject({ code: 0 });
    await expect.poll(() => stateOf(running, 'lab'), { timeout: 20_000 }).toBe('joined');
    await ends(lab.running, 'SIGKILL');
    await lab.again();
    await expect.poll(() => stateOf(running, 'lab')).toBe('joined');
    expect(await ends(lab.running, 'SIGTERM')).toMatchObject({ code: 0 });
    await expect.poll(() => stateOf(running, 'lab')).toBe('unknown');
  });

  it('and not with an invitation that was used, has expired, or was never made', async () => {
    await using repo = await checkedRepo();
    await using running = farm(repo);
    const { url } = await running.ask('host', 'invite');
    const first = begin(await machine(repo, 'first'), 'host', '--join', url);
    await first.said('joined the farm');
    const second = await begin(await machine(repo, 'second'), 'host', '--join', url).ended;
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('another machine has used this invitation') });
    expect(second.stderr).toContain('try: furrow host invite');
    await ends(first, 'SIGTERM');
    const never = url.replace(/#[0-9a-f]{64}/, `#${'0'.repeat(64)}`);
    expect(await begin(await machine(repo, 'third'), 'host', '--join', never).ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not know'),
    });
    const short = (await running.ask('host', 'invite', '--for', '1s')).url;
    await pause(1100);
    expect(await begin(await machine(repo, 'fourth'), 'host', '--join', short).ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has expired'),
    });
    expect((await running.ask('hosts')).map(({ name }: { name: string }) => name)).not.toContain('second');
  });

  it('under a name that nobody has; a person who chose one is asked for another', async () => {
    await using repo = await checkedRepo();
    await using running = farm(repo);
    await using _lab = await joins(repo, running, 'lab');
    const { url } = await running.ask('host', 'invite');
    const other = await begin(await machine(repo, 'other'), 'host', '--join', url, '--name', 'lab').ended;
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('--name lab-2') });
    // The invitation was not used by that.
    const third = begin(await machine(repo, 'third'), 'host', '--join', url, '--name', 'lab-2');
    await third.said('joined the farm');
    expect(await ends(third, 'SIGTERM')).toMatchObject({ code: 0 });
  });

  it('and is refused for ever once it was removed; another invitation lets it in as a new one', async () => {
    await using repo = await checkedRepo();
    await using running = farm(repo);
    await using lab = await joins(repo, running, 'lab');
    expect(await running.furrow('hosts', 'remove', 'lab')).toMatchObject({ code: 0 });
    expect(await lab.running.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('was removed from the farm') });
    expect(await begin(lab.place, 'host').ended).toMatchObject({ code: 1, stderr: expect.stringContaining('was removed from the farm') });
    expect(await stateOf(running, 'lab')).toBe('removed');
    const { url } = await running.ask('host', 'invite');
    const again = begin(lab.place, 'host', '--join', url, '--name', 'lab');
    await again.said('joined the farm');
    expect(await stateOf(running, 'lab')).toBe('joined');
    await ends(again, 'SIGTERM');
  });

  it('only by a whole invitation of the very leader, and only a person may invite', async () => {
    await using repo = await checkedRepo();
    await using running = farm(repo);
    const { url } = await running.ask('host', 'invite');
    const place = await machine(repo, 'lab');
    expect(await furrow(place, 'host', '--join', url.split('#')[0])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('quote it in the shell'),
    });
    expect(await furrow(place, 'host')).toMatchObject({ code: 1, stderr: expect.stringContaining('has joined no farm') });
    const forged = `${url.slice(0, -64)}${'0'.repeat(64)}`;
    expect(await furrow(place, 'host', '--join', forged)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not the leader of the invitation'),
    });
    expect(await running.furrow('hosts', 'drain', 'lab')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no machine named lab'),
    });
  });
});

describe('the farm listens for machines', () => {
  const listeners = async (running: TestFarm, ...args: string[]) => (await running.furrow('host', 'invite', ...args)).stdout;

  it('on its own machine alone, or at the address that a person names, and again at the same one', async () => {
    await using repo = await checkedRepo();
    await using running = farm(repo);
    expect(await listeners(running)).toContain('ssh -N -L');
    const first = readInvitation((await running.ask('host', 'invite')).url);
    expect(first.host).toBe('127.0.0.1');
    const named = readInvitation((await running.ask('host', 'invite', '--listen', '127.0.0.2', '--as', 'build.example')).url);
    expect(named).toMatchObject({ host: 'build.example', port: first.port, certificate: first.certificate });
    await expect(dial({ ...named, host: '127.0.0.1' })).rejects.toMatchObject({ code: 'LEADER_UNREACHABLE' });
    (await dial({ ...named, host: '127.0.0.2' })).terminate();
    await killDaemon(running);
    await running.furrow('status');
    (await dial({ ...named, host: '127.0.0.2' })).terminate();
    expect(readInvitation((await running.ask('host', 'invite')).url)).toMatchObject({ host: 'build.example', port: first.port });
  });

  it('and says what to do about an address that is not its own, and a port that is taken', async () => {
    await using repo = await checkedRepo();
    await using running = farm(repo);
    expect(await running.furrow('host', 'invite', '--listen', '192.0.2.1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--listen 0.0.0.0 --as 192.0.2.1'),
    });
    await using other = await relayTo(1);
    const taken = await running.furrow('host', 'invite', '--port', String(other.port));
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('another program listens') });
    // The one of before goes on.
    const { url } = await running.ask('host', 'invite');
    await killDaemon(running);
    await using _squatter = await relayTo(1, readInvitation(url).port);
    await running.furrow('status');
    await expect
      .poll(async () => (await running.events()).map(({ text }) => text))
      .toContainEqual(expect.stringContaining('machines that joined cannot come'));
  });
});

describe('checks', () => {
  it('run on all machines at a time, and every verdict names its machine', async () => {
    await using repo = await checkedRepo();
    await using running = farm(repo);
    await using _lab = await joins(repo, running, 'lab', {}, '--checks', '2');
    await submits(repo, running, 'a', 'b', 'c');
    await expect.poll(() => lines(repo, 'began').filter(isOn('lab')).length).toBe(2);
    await expect.poll(() => lines(repo, 'began').length).toBe(3);
    const { checks, slots, entries } = await running.ask('queue');
    expect(slots).toBe(3);
    expect(entries.map(({ reason }: { reason: string }) => reason)).toContainEqual(expect.stringMatching(/being checked .*, by lab$/));
    expect((await running.ask('status')).hosts).toEqual([{ name: 'lab', state: 'joined', checking: 2, checks: 2 }]);
    expect((await running.furrow('status')).stdout).toContain('hosts  lab 2 of 2 checks');
    expect(checks.map((one: { host: string }) => one.host).sort()).toEqual(expect.arrayContaining(['lab', 'lab']));
    expect((await running.furrow('queue')).stdout).toContain('lab/1');
    await open(repo);
    await expect.poll(() => landed(running)).toBe(3);
    await assertEveryLandingWasChecked(repo, running);
    expect((await running.events()).map(({ text }) => text)).toContainEqual(expect.stringMatching(/^unit passed on \w+ by lab in/));
    // The log is here, as that of any other check.
    const logs = readdirSync(join(repo.root, '.furrow/logs/checks')).map((name) =>
      readFileSync(join(repo.root, '.furrow/logs/checks', name), 'utf8'),
    );
    expect(logs.some((text) => text.includes('machines/lab'))).toBe(true);
  });

  it('of a machine that was killed are planned again, and land', async () => {
    await using repo = await checkedRepo();
    await using running = farm(repo);
    await using lab = await joins(repo, running, 'lab', {}, '--checks', '1');
    await submits(repo, running, 'a', 'b');
    await expect.poll(() => lines(repo, 'began').filter(isOn('lab')).length).toBe(1);
    await ends(lab.running, 'SIGKILL');
    await open(repo);
    await expect.poll(() => stateOf(running, 'lab'), { timeout: 20_000 }).toBe('unknown');
    await expect.poll(() => landed(running), { timeout: 20_000 }).toBe(2);
    await assertEveryLandingWasChecked(repo, running);
    expect((await running.events()).map(({ text }) => text)).toContainEqual(expect.stringContaining('lab is unknown'));
  });

  it('of a machine that is started again are ended there, and planned again at once', async () => {
    await using repo = await checkedRepo();
    await using running = farm(repo);
    await using lab = await joins(repo, running, 'lab', {}, '--checks', '1');
    await submits(repo, running, 'a', 'b');
    await expect.poll(() => lines(repo, 'began').filter(isOn('lab')).length).toBe(1);
    const checks = () => allProcesses().filter(({ command, environ }) => command === 'sh check.sh' && environ.includes(lab.place.home));
    const [before] = checks();
    await ends(lab.running, 'SIGKILL');
    await lab.again();
    expect(lives(before!)).toBe(false);
    await expect.poll(() => lines(repo, 'began').filter(isOn('lab')).length).toBe(2);
    await open(repo);
    await expect.poll(() => landed(running)).toBe(2);
    await assertEveryLandingWasChecked(repo, running);
    expect((await running.events()).map(({ text }) => text)).not.toContainEqual(expect.stringContaining('lab is unknown'));
  });

  it('of a machine that is started again behind a network that never told of its end are planned again', async () => {
    await using repo = await checkedRepo();
    await using running = farm(repo);
    const { url } = await running.ask('host', 'invite');
    await using relay = await relayTo(readInvitation(url).port);
    await using lab = await joinsBy(through(relay, url), await machine(repo, 'lab'), 'lab', '--checks', '1');
    await submits(repo, running, 'a', 'b');
    await expect.poll(() => lines(repo, 'began').filter(isOn('lab')).length).toBe(1);
    relay.forget();
    await ends(lab.running, 'SIGKILL');
    const again = lab.again();
    await lab.running.said('another process with the key of lab is connected; trying again');
    await again;
    await open(repo);
    await expect.poll(() => landed(running)).toBe(2);
    await assertEveryLandingWasChecked(repo, running);
  });

  it('go on while the line is cut for a moment, and are not run twice', async () => {
    await using repo = await checkedRepo();
    await using running = farm(repo);
    const { url } = await running.ask('host', 'invite');
    await using relay = await relayTo(readInvitation(url).port);
    await using lab = await joinsBy(through(relay, url), await machine(repo, 'lab'), 'lab', '--checks', '1');
    await submits(repo, running, 'a', 'b');
    await expect.poll(() => lines(repo, 'began').length).toBe(2);
    relay.cut();
    await lab.running.said('lost the leader');
    await open(repo);
    await expect.poll(() => landed(running)).toBe(2);
    expect(lines(repo, 'began').filter(isOn('lab')).length).toBe(1);
    expect((await running.events()).map(({ text }) => text)).toContainEqual(expect.stringMatching(/^unit passed on \w+ by lab in/));
  });

  it('of a machine behind a cut network are planned again after 15 s, and its late answers change nothing', async () => {
    await using repo = await checkedRepo();
    await using running = farm(repo);
    const { url } = await running.ask('host', 'invite');
    await using relay = await relayTo(readInvitation(url).port);
    await using _lab = await joinsBy(through(relay, url), await machine(repo, 'lab'), 'lab', '--checks', '1');
    await submits(repo, running, 'a', 'b');
    await expect.poll(() => lines(repo, 'began').filter(isOn('lab')).length).toBe(1);
    relay.hold();
    await expect.poll(() => stateOf(running, 'lab')).toBe('unknown');
    await open(repo);
    await expect.poll(() => landed(running)).toBe(2);
    // It worked on behind the cut.
    await expect.poll(() => lines(repo, 'ended').filter(isOn('lab')).length).toBe(1);
    relay.release();
    await expect.poll(() => stateOf(running, 'lab')).toBe('joined');
    const texts = (await running.events()).map(({ text }) => text);
    expect(texts.filter((text) => /by lab in/.test(text))).toEqual([]);
    expect(texts).toContainEqual('lab is heard of again');
    await submits(repo, running, 'c', 'd');
    await expect.poll(() => landed(running)).toBe(4);
    await assertEveryLandingWasChecked(repo, running);
  });

  it('that are red on another kind of machine are asked again here, and stay here from then on', async () => {
    await using repo = await checkedRepo();
    await using running = farm(repo);
    const bin = join(repo.base, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'node'), '#!/bin/sh\necho v0.0.1\n', { mode: 0o755 });
    await using _lab = await joins(repo, running, 'lab', { PATH: `${bin}:${process.env['PATH']}` }, '--checks', '1');
    await branchWith(repo, 'x', { red: '', 'src/x.txt': 'x\n' });
    await branchWith(repo, 'y', { red: '', 'src/y.txt': 'y\n' });
    for (const name of ['x', 'y']) await running.furrow('submit', name);
    // Held here, so that the second one goes there however fast this machine is.
    await expect.poll(() => lines(repo, 'began').filter(isOn('lab')).length).toBe(1);
    await open(repo);
    await expect.poll(() => landed(running), { timeout: 20_000 }).toBe(2);
    const texts = (await running.events()).map(({ text }) => text);
    expect(texts).toContainEqual(expect.stringContaining('lab is another kind of machine'));
    const before = lines(repo, 'began').filter(isOn('lab')).length;
    await branchWith(repo, 'z', { 'src/z.txt': 'z\n' });
    await branchWith(repo, 'w', { 'src/w.txt': 'w\n' });
    for (const name of ['z', 'w']) await running.furrow('submit', name);
    await expect.poll(() => landed(running), { timeout: 20_000 }).toBe(4);
    expect(lines(repo, 'began').filter(isOn('lab')).length).toBe(before);
  });

  it('are not given to a machine that is drained; what it does is finished', async () => {
    await using repo = await checkedRepo();
    await using running = farm(repo);
    await using _lab = await joins(repo, running, 'lab', {}, '--checks', '1');
    await submits(repo, running, 'a', 'b');
    await expect.poll(() => lines(repo, 'began').filter(isOn('lab')).length).toBe(1);
    expect((await running.ask('queue')).slots).toBe(2);
    expect(await running.ask('hosts', 'drain', 'lab')).toEqual({ name: 'lab', state: 'draining' });
    expect((await running.ask('queue')).slots).toBe(1);
    await open(repo);
    await expect.poll(() => landed(running)).toBe(2);
    expect(lines(repo, 'ended').filter(isOn('lab')).length).toBe(1);
    await submits(repo, running, 'c', 'd');
    await expect.poll(() => landed(running)).toBe(4);
    expect(lines(repo, 'began').filter(isOn('lab')).length).toBe(1);
    expect(await running.ask('hosts', 'drain', 'lab', '--undo')).toEqual({ name: 'lab', state: 'joined' });
  });

  it('that need a label run only on a machine that has it, and work waits for one', async () => {
    await using repo = await checkedRepo('queue: { slots: 2 }\n');
    await repo.write('furrow.yaml', `checks: [ { name: unit, run: sh check.sh, env: { WITNESS: "${repo.base}" }, needs: [host:gpu] } ]\n`);
    await repo.commit('on a machine with a gpu');
    await open(repo);
    await using running = farm(repo);
    await submits(repo, running, 'a');
    await expect.poll(async () => (await running.ask('why', 'a')).reasons.map(({ code }: { code: string }) => code)).toContain('no-host');
    await using _plain = await joins(repo, running, 'plain');
    expect((await running.furrow('why', 'a')).stdout).toContain('unit waits for a machine with gpu');
    await using _big = await joins(repo, running, 'big', {}, '--labels', 'gpu');
    await expect.poll(() => landed(running)).toBe(1);
    expect(lines(repo, 'began').every(isOn('big'))).toBe(true);
  });

  it('have there what set-up makes, in a fence where there is one', async (context) => {
    await using repo = await checkedRepo();
    const fenced = !without('bwrap');
    await repo.write('.gitignore', 'deps/\n');
    const check = `cat deps/made; ${fenced ? `ls ${repo.base}/outside && exit 1; ` : ''}echo ended`;
    await repo.write(
      'furrow.yaml',
      `check: sh run.sh\nisolation: ${fenced ? 'guard' : 'none'}\nworktree: { setup: [mkdir -p deps && echo by-setup > deps/made] }\nqueue: { slots: 1 }\n`,
    );
    await repo.write('run.sh', `${check}\nsleep 1\n`);
    await repo.commit('with set-up');
    await writeFile(join(repo.base, 'outside'), '');
    await using running = farm(repo);
    await using _lab = await joins(repo, running, 'lab', {}, '--checks', '2');
    await submits(repo, running, 'a', 'b', 'c');
    await expect.poll(() => landed(running)).toBe(3);
    const texts = (await running.events()).map(({ text }) => text);
    expect(texts).toContainEqual(expect.stringMatching(/^check passed on \w+ by lab in/));
    const logs = readdirSync(join(repo.root, '.furrow/logs/checks')).map((name) =>
      readFileSync(join(repo.root, '.furrow/logs/checks', name), 'utf8'),
    );
    for (const text of logs) expect(text).toContain('by-setup');
    skipWithout('bwrap', context);
  });

  it('of a machine that cannot run them are planned again here', async () => {
    await using repo = await checkedRepo();
    await using running = farm(repo);
    await using _lab = await joins(repo, running, 'lab', {}, '--checks', '1');
    await repo.write('.gitattributes', '*.bin filter=lfs\n');
    await repo.commit('large files');
    await submits(repo, running, 'a', 'b');
    const texts = async () => (await running.events()).map(({ text }) => text);
    await expect.poll(texts).toContainEqual(expect.stringContaining('large files (git-lfs) are only on the machine of the farm'));
    await open(repo);
    await expect.poll(() => landed(running)).toBe(2);
    expect(lines(repo, 'began').filter(isOn('lab'))).toEqual([]);
  });
});

it('a hostile host can lie about its own checks and do nothing else', async () => {
  await using repo = await checkedRepo();
  await using running = farm(repo);
  await using _lab = await joins(repo, running, 'lab', {}, '--checks', '1');
  await submits(repo, running, 'a', 'b');
  await expect.poll(() => lines(repo, 'began').filter(isOn('lab')).length).toBe(1);
  const { url } = await running.ask('host', 'invite');
  const { token, ...at } = readInvitation(url);
  const key = randomBytes(32).toString('hex');
  const { version } = (await running.ask('status')).farm;
  const hello = {
    say: 'hello',
    protocol: 2,
    version,
    key,
    token,
    name: 'evil',
    named: true,
    labels: [],
    agents: 0,
    checks: 0,
    class: '',
    life: 'ab'.repeat(8),
    running: [],
    attempts: [],
  };
  const ws = await dial(at);
  ws.on('error', () => {});
  const heard: { tell: string }[] = [];
  ws.on('message', (data) => heard.push(JSON.parse(String(data))));
  ws.send(JSON.stringify(hello));
  await expect.poll(() => heard.map(({ tell }) => tell)).toEqual(['welcome']);
  const verdict = { outcome: 'pass', ms: 1, detail: null, beside: 1, class: '' };
  // Ids are guessed easily: they are numbers. The work of another host is not touched by that.
  for (let epoch = 0; epoch < 4; epoch++) {
    for (let n = 0; n < 4; n++) {
      ws.send(JSON.stringify({ say: 'output', id: `${epoch}.${n}`, at: 0, bytes: Buffer.from('forged').toString('base64') }));
      ws.send(JSON.stringify({ say: 'done', id: `${epoch}.${n}`, result: verdict }));
      const body = JSON.stringify({ id: `${epoch}.${n}`, have: [] });
      await expect(askLeader(at, '/objects', key, body, new AbortController().signal)).rejects.toMatchObject({ code: 'LEADER_REFUSED' });
    }
  }
  await expect.poll(() => heard.filter(({ tell }) => tell === 'taken').length).toBe(16);
  expect(await landed(running)).toBe(0);
  const gone = new Promise<void>((done) => ws.once('close', () => done()));
  ws.send(JSON.stringify({ say: 'land', id: '1.1' }));
  await gone;
  await open(repo);
  await expect.poll(() => landed(running)).toBe(2);
  await assertEveryLandingWasChecked(repo, running);
  const logs = readdirSync(join(repo.root, '.furrow/logs/checks')).map((name) =>
    readFileSync(join(repo.root, '.furrow/logs/checks', name), 'utf8'),
  );
  expect(logs.join('')).not.toContain('forged');
});
