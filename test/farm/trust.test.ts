import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { exec } from '../../src/platform/exec.ts';
import { writeBoard } from '../support/board.ts';
import { BIN, farm, furrowIn } from '../support/farm.ts';
import { gitRepo, plainEnv, type TestRepo } from '../support/repo.ts';

/** Whatever runs in this repository leaves its name in the folder `ran` beside it. */
const config = (ran: string) => `agent: own
agents: { own: { driver: command, run: "touch ${ran}/agent; env > ${ran}/agent-env" } }
check: "touch ${ran}/check; env > ${ran}/check-env"
queue: { after: [ { name: slow, run: "touch ${ran}/slow" } ] }
worktree: { setup: ["touch ${ran}/setup"] }
`;

interface Hostile extends TestRepo {
  /** The names of what has run. */
  ran(): Promise<string[]>;
  forget(): Promise<void>;
}

/** A repository that somebody cloned: nothing in it was ever trusted, and commands do not say that they trust it. */
async function cloned(): Promise<Hostile> {
  const repo = await gitRepo();
  const ran = join(repo.base, 'ran');
  await repo.write('../ran/.keep', '');
  await repo.write('furrow.yaml', config(ran));
  await writeBoard(repo, [{ id: 1, more: { check: `touch ${ran}/task-check` } }]);
  await repo.commit('hostile');
  await repo.git('branch', 'feature');
  await repo.git('switch', '--quiet', 'feature');
  await repo.write('feature.txt', 'x\n');
  await repo.commit('feature');
  await repo.git('switch', '--quiet', 'main');
  repo.env['FURROW_TRUST'] = '';
  return {
    ...repo,
    ran: async () => (await readdir(ran)).filter((name) => name !== '.keep'),
    forget: async () => {
      for (const name of await readdir(ran)) await rm(join(ran, name));
    },
  };
}

const trusting = { env: { FURROW_TRUST: '1' } };
/** What an attention line of the kind says. */
const asked = (status: { attention: { kind: string; reason: string }[] }) => status.attention.find(({ kind }) => kind === 'trust')?.reason;

/** A terminal of the person's own, in a tmux that nobody else has. */
const personsTmux =
  (repo: TestRepo) =>
  async (...args: string[]) =>
    (
      await exec(['tmux', '-S', join(repo.base, 'person'), '-f', '/dev/null', ...args], {
        cwd: repo.root,
        env: plainEnv(repo),
        timeoutMs: 30_000,
      })
    ).stdout;

const STARTING = [
  ['work'],
  ['work', '--detach'],
  ['submit', 'feature'],
  ['retry', '1'],
  ['resume'],
  ['take', '1'],
  ['doctor', '--check'],
  ['approve', '--all'],
  ['queue', 'resume'],
];
const READING = [
  ['status'],
  ['list'],
  ['show', '1'],
  ['plan'],
  ['why', '1'],
  ['config'],
  ['log'],
  ['queue'],
  ['cost'],
  ['trust', '--show'],
  ['next'],
];

it('starts nothing of a repository before it is trusted, and reads and answers', async () => {
  await using repo = await cloned();
  await using running = farm(repo);
  const before = await repo.git('rev-parse', 'main');
  for (const words of READING) expect(await running.furrow(...words), words.join(' ')).toMatchObject({ code: 0 });
  for (const words of STARTING) {
    const said = await running.furrow(...words);
    expect(said, words.join(' ')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/not trusted this repository.*\n {2}try: furrow trust\n$/),
    });
  }
  const refused = await running.furrow('trust');
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no terminal here to ask you\n {2}try: furrow trust --show, then furrow trust --yes/),
  });
  expect(asked(await running.ask('status'))).toMatch(/furrow trust/);
  expect(await repo.ran()).toEqual([]);
  expect(await repo.git('rev-parse', 'main')).toBe(before);
});

it('trust --yes prints what it agrees to and asks nothing; it agrees to nothing that cannot be read', async () => {
  await using repo = await cloned();
  await repo.git('config', 'include.path', 'bomb');
  await using running = farm(repo);
  await running.furrow('status');
  await repo.write('.git/bomb', `# ${'x'.repeat(5_000_000)}\n`);
  expect(await running.furrow('trust', '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/cannot be trusted: .*too large/),
  });
  expect(await running.furrow('trust', '--yes', '--revoke')).toMatchObject({ code: 2 });
  await repo.write('.git/bomb', '');
  expect(await running.ask('trust', '--show')).toMatchObject({ trusted: false });
  expect(await running.furrow('trust', '--yes')).toMatchObject({ code: 0, stdout: expect.stringMatching(/ran\/check;.*\ntrusted: /s) });
  expect(await running.ask('trust', '--yes')).toMatchObject({ trusted: true });
  expect(await running.furrow('doctor', '--check')).toMatchObject({ code: 0 });
});

it('runs what was trusted, asks again when it changes, and starts nothing new once the trust is taken back', async () => {
  await using repo = await cloned();
  await using running = farm(repo);
  expect(await running.furrow('doctor', '--check', '--trust')).toMatchObject({ code: 0 });
  expect(await repo.ran()).toEqual(expect.arrayContaining(['check', 'setup']));
  expect(await running.ask('trust', '--show')).toMatchObject({ trusted: true, why: null, added: [], changed: [] });
  expect(await running.furrow('submit', 'feature', '--wait')).toMatchObject({ code: 0 });

  const text = await readFile(join(repo.root, 'furrow.yaml'), 'utf8');
  await repo.write('furrow.yaml', text.replace('/check;', '/other;'));
  const said = await running.furrow('submit', 'feature');
  expect(said).toMatchObject({ code: 1, stderr: expect.stringMatching(/checks\.check was .*ran\/check;.* and is .*ran\/other;/) });
  expect(asked(await running.ask('status'))).toMatch(/checks\.check was .* and is /);
  expect(await running.ask('trust', '--show')).toMatchObject({ trusted: false, changed: [{ name: 'checks.check' }], added: [] });
  expect(await repo.ran()).not.toContain('other');

  // The word of the command right after the file was saved is for the new file.
  await repo.write('furrow.yaml', text.replace('/check;', '/third;'));
  expect(await furrowIn(repo, trusting, 'doctor', '--check')).toMatchObject({ code: 0 });
  expect(await repo.ran()).toContain('third');
  expect(asked(await running.ask('status'))).toBeUndefined();

  expect(await running.furrow('trust', '--revoke')).toMatchObject({ code: 0 });
  expect(await running.furrow('work')).toMatchObject({ code: 1, stderr: expect.stringMatching(/not trusted this repository yet/) });
  expect((await running.events()).map(({ kind }) => kind)).toEqual(expect.arrayContaining(['trust.given', 'trust.revoked']));
});

it('what git itself would run is part of it: a change asks again, with old and new, and what cannot be read refuses', async () => {
  await using repo = await cloned();
  await repo.git('config', 'core.sshCommand', 'ssh -4');
  await using running = farm(repo);
  expect(await running.furrow('trust', '--show')).toMatchObject({
    stdout: expect.stringMatching(/what git runs or opens.*\n.*core\.sshcommand +"ssh -4"/),
  });
  await furrowIn(repo, trusting, 'status');
  await repo.git('remote', 'add', 'origin', 'https://host.invalid/x.git');
  await repo.git('config', 'branch.main.remote', 'origin');
  expect(await running.ask('trust', '--show'), 'daily work').toMatchObject({ trusted: true });

  await repo.git('config', 'core.sshCommand', 'evil');
  expect(await running.furrow('submit', 'feature')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/git core\.sshcommand was "ssh -4" and is "evil"/),
  });
  await repo.git('config', 'core.sshCommand', 'ssh -4');
  await repo.git('config', 'include.path', 'bomb');
  await furrowIn(repo, trusting, 'status');
  expect(await running.ask('trust', '--show')).toMatchObject({ trusted: true });
  await repo.write('.git/bomb', `# ${'x'.repeat(5_000_000)}\n`);
  for (const with_ of [{}, trusting])
    expect(await furrowIn(repo, with_, 'submit', 'feature')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\.git\/bomb cannot be trusted: it is too large/),
    });
  await repo.write('.git/bomb', '');
  expect(await running.ask('trust', '--show')).toMatchObject({ trusted: true });
  expect(await repo.ran()).not.toContain('check');
});

it('a check on the board is part of it; one that the person types needs no second yes', async () => {
  await using repo = await cloned();
  await using running = farm(repo);
  await furrowIn(repo, trusting, 'status');
  expect(await running.furrow('retry', '1')).not.toMatchObject({ stderr: expect.stringMatching(/trust/) });
  await running.furrow('add', 'typed', '--check', 'true');
  expect(await running.furrow('edit', '1', '--check', 'false')).toMatchObject({ code: 0 });
  expect(await running.ask('trust', '--show')).toMatchObject({ trusted: true });
  await writeBoard(repo, [{ id: 9, more: { check: 'evil' } }]);
  expect(await running.furrow('resume')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/check of task default\/9 is new: "evil"/),
  });
});

it('the word of trust, the secrets and the consents are in no store and in no environment of what runs', async () => {
  await using repo = await cloned();
  await using running = farm(repo);
  await furrowIn(repo, trusting, 'work', '--parallel', '1');
  const environments = await Promise.all(['agent-env', 'check-env'].map((name) => readFile(join(repo.base, 'ran', name), 'utf8')));
  for (const env of environments) expect(env).not.toMatch(/FURROW_TRUST/);
  const { pid } = (await running.ask('status')).farm;
  expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/FURROW_TRUST/);
  const db = new DatabaseSync(join(repo.root, '.furrow/store.db'), { readOnly: true });
  expect(db.prepare("select key from meta where key like 'hook.secret' or key like 'consent.%'").all()).toEqual([]);
  db.close();
});

it('knows a repository that was moved, and neither a copy of it nor another clone in its place', async () => {
  await using repo = await cloned();
  await furrowIn(repo, trusting, 'status');
  await furrowIn(repo, {}, 'stop', '--all');
  const trusted = async (root: string) => {
    const at = { ...repo, root };
    const said = await furrowIn(at, { cwd: root }, 'trust', '--json');
    await furrowIn(at, { cwd: root }, 'stop', '--all');
    return said.json().trusted;
  };
  const moved = join(repo.base, 'moved');
  await rename(repo.root, moved);
  expect(await trusted(moved)).toBe(true);
  // What is trusted may run: the slow check of the target begins as soon as a daemon is there.
  await repo.forget();
  const copy = join(repo.base, 'copy');
  await cp(moved, copy, { recursive: true });
  expect(await trusted(copy)).toBe(false);
  await rm(moved, { recursive: true });
  await exec(['git', 'clone', '--quiet', copy, moved], { cwd: repo.base, env: plainEnv(repo), timeoutMs: 60_000 });
  expect(await trusted(moved)).toBe(false);
  expect(await repo.ran()).toEqual([]);
});

it('reads a store that was not made here, says what is in it, and acts on it only after the person trusts it', async () => {
  await using repo = await cloned();
  {
    await using running = farm(repo);
    await furrowIn(repo, trusting, 'queue', 'pause');
    expect(await furrowIn(repo, trusting, 'submit', 'feature')).toMatchObject({ code: 0 });
    await running.furrow('trust', '--revoke');
    await running.furrow('queue', 'resume');
  }
  const db = new DatabaseSync(join(repo.root, '.furrow/store.db'));
  db.exec("delete from meta where key = 'queue.paused'");
  db.close();
  await rm(join(repo.home, '.config/furrow/stores'), { recursive: true });
  await repo.forget();
  await using running = farm(repo);
  const before = await repo.git('rev-parse', 'main');
  expect(asked(await running.ask('status'))).toMatch(/store in \.furrow \(1 task and 1 queued entry\) was not made here/);
  for (const words of [['answer', '1', 'yes'], ['queue', 'eject', 'feature'], ['add', 'x'], ['clean'], ['submit', 'feature']])
    expect(await running.furrow(...words), words.join(' ')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/was not made here.*\n {2}try: furrow trust/),
    });
  expect(await repo.ran()).toEqual([]);
  expect(await repo.git('rev-parse', 'main')).toBe(before);

  expect(await furrowIn(repo, trusting, 'submit', 'feature', '--wait')).toMatchObject({ code: 0 });
  expect(await repo.git('rev-parse', 'main')).not.toBe(before);
});

it('init trusts what it wrote itself, and nothing that was there before', async () => {
  await using repo = await gitRepo({ 'README.md': 'x\n' });
  repo.env['FURROW_TRUST'] = '';
  await using running = farm(repo);
  await running.furrow('init', '--yes');
  expect(await running.ask('trust', '--show')).toMatchObject({ trusted: true });
  await repo.write('.claude/settings.json', '{ "hooks": {} }');
  await repo.commit('settings of an agent');
  expect(await running.ask('trust', '--show')).toMatchObject({ trusted: false, added: [{ name: '.claude/settings.json' }] });

  await using other = await cloned();
  await using there = farm(other);
  await there.furrow('init', '--yes');
  expect(await there.ask('trust', '--show')).toMatchObject({ trusted: false, since: null });
});

it('asks at a terminal, shows what would run with every character visible, and goes on with the command after a yes', async () => {
  await using repo = await cloned();
  await repo.write('furrow.yaml', 'check: "true \\u001b[8mhidden"\n');
  await repo.commit('hides something');
  await using running = farm(repo);
  const tmux = personsTmux(repo);
  const screen = () => tmux('capture-pane', '-p', '-J');
  await tmux('new-session', '-d', '-x', '150', '-y', '50', `${process.execPath} ${BIN} submit feature; echo "[ended $?]"; exec sh`);
  try {
    await expect.poll(screen).toMatch(/trust it\? \[y\/N\]/);
    expect(await screen()).toContain('"true \\u001b[8mhidden"');
    await tmux('send-keys', 'n', 'Enter');
    await expect.poll(screen).toMatch(/try: furrow trust\n\[ended 1\]/);
    // Also a command that draws what happens ends with the no.
    await tmux('send-keys', `clear; ${process.execPath} ${BIN} work; echo "[work $?]"`, 'Enter');
    await expect.poll(screen).toMatch(/trust it\? \[y\/N\]/);
    await tmux('send-keys', 'n', 'Enter');
    await expect.poll(screen).toMatch(/\[work 1\]/);
    await tmux('send-keys', `clear; ${process.execPath} ${BIN} submit feature; echo "[then $?]"`, 'Enter');
    await expect.poll(screen).toMatch(/trust it\? \[y\/N\]/);
    await tmux('send-keys', 'y', 'Enter');
    await expect.poll(screen).toMatch(/\[then 0\]/);
    expect(await running.ask('trust', '--show')).toMatchObject({ trusted: true });
    expect(existsSync(join(repo.home, '.config/furrow/trust'))).toBe(true);
  } finally {
    await tmux('kill-server');
  }
});

it('a list that is longer than the screen is shown a screen at a time, and what it holds is counted above the question', async () => {
  await using repo = await cloned();
  const own = Array.from({ length: 120 }, (_, n) => ({ id: n + 1, more: { check: `sh check-${n + 1}.sh` } }));
  await writeBoard(repo, own);
  await repo.commit('a long list');
  await using running = farm(repo);
  const tmux = personsTmux(repo);
  const screen = () => tmux('capture-pane', '-p', '-J');
  await tmux('new-session', '-d', '-x', '90', '-y', '30', `${process.execPath} ${BIN} trust; echo "[ended $?]"; exec sh`);
  try {
    await expect.poll(screen).toMatch(/-- \d+ of \d+ lines: Enter for more, q to stop reading --/);
    expect(await screen(), 'the command is in sight').toMatch(/What furrow would run in .*\n[\s\S]*touch .*ran\/agent/);
    let seen = '';
    for (let n = 0; n < 10 && !/trust it\?/.test(seen); n++) {
      await tmux('send-keys', 'Enter');
      const before = seen;
      await expect.poll(async () => (seen = await screen())).not.toBe(before);
      await expect.poll(async () => (seen = await screen())).toMatch(/reading --\s*$|trust it\? \[y\/N\]/);
    }
    expect(seen).toMatch(/\d+ lines: agents \d+, checks 122, set-up 1, rules \d+\.\s*\nIt runs as you[\s\S]*trust it\? \[y\/N\]/);
    await tmux('send-keys', 'n', 'Enter');
    await expect.poll(screen).toMatch(/not trusted: furrow starts nothing that this repository defines\s*\n\[ended 1\]/);
  } finally {
    await tmux('kill-server');
  }
  const piped = await running.furrow('trust', '--show');
  expect(piped.stdout.match(/check of task/g)).toHaveLength(120);
  expect(piped.stdout).toMatch(/\d+ lines: agents \d+, checks 122/);
});

it('what a killed daemon had begun goes on once the new configuration is trusted', async () => {
  await using repo = await cloned();
  await using running = farm(repo);
  const killed = { env: { ...trusting.env, FURROW_FAULT: 'attempt.start.before:1:kill' } };
  await furrowIn(repo, killed, 'work', '--detach', '--no-preflight', '--parallel', '1');
  // Alone it starts nothing.
  await expect.poll(async () => (await furrowIn(repo, {})).stdout).toMatch(/farm {3}not running/);
  await repo.forget();
  await repo.write('furrow.yaml', config(join(repo.base, 'ran')).replace('/setup"', '/evil"'));
  expect(asked(await running.ask('status'))).toMatch(/worktree\.setup 1 was .* and is .*evil/);
  await furrowIn(repo, trusting, 'status');
  await expect.poll(repo.ran).toEqual(expect.arrayContaining(['agent', 'evil']));
});

it('agents at work go on when the configuration changes, and nothing new starts before it is trusted', async () => {
  await using repo = await cloned();
  const ran = join(repo.base, 'ran');
  const agent = `touch ${ran}/started; while [ ! -e ${ran}/go ]; do sleep 0.05; done; echo x > $FURROW_TASK.txt; git add -A; git commit --quiet -m done`;
  const text = config(ran).replace(/run: "touch[^"]*"/, `run: "${agent}"`);
  await repo.write('furrow.yaml', text);
  await writeBoard(repo, [{ id: 1 }, { id: 2, depends_on: [1] }]);
  await repo.commit('an agent that waits');
  await using running = farm(repo);
  await furrowIn(repo, trusting, 'work', '--parallel', '1', '--detach');
  await expect.poll(repo.ran).toContain('started');
  await repo.forget();
  await repo.write('furrow.yaml', text.replace('/check;', '/other;'));
  await expect.poll(async () => asked(await running.ask('status'))).toMatch(/checks\.check was /);
  await repo.write('../ran/go', '');
  await expect.poll(async () => (await running.ask('list'))[0]).toMatchObject({ id: '1', state: 'submitted' });
  await expect.poll(async () => JSON.stringify(await running.ask('why', '1'))).toMatch(/checks\.check was .*furrow trust/);
  expect(await repo.ran()).toEqual(['go']);
  await furrowIn(repo, trusting, 'status');
  await expect.poll(async () => (await running.ask('list')).map(({ state }: { state: string }) => state)).toEqual(['landed', 'landed']);
  expect(await repo.ran()).toContain('other');
});
