import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { CANARIES, ENCODINGS, leaksIn } from '../support/canaries.ts';
import { farm, killDaemon } from '../support/farm.ts';
import { commits, shellRepo } from './shell.ts';

const NAMES = CANARIES.map((_, n) => `CANARY_${n}_TOKEN`);
const CONFIG = `agent: sh\nattempts: 1\nagents:\n  sh: { driver: command, run: "sh do/$FURROW_TASK.sh", pass_env: [${NAMES.join(', ')}] }\ncheck: sh check.sh\n`;

/** What an agent or a check prints is theirs: raw, and for the user alone. The environment that an agent is started with is in its script. */
const THEIRS = /^(logs\/(checks\/|setup\/|.*\/a\d+[^/]*\.log)|run\/a\d+)/;

it('no secret of an agent, however it writes it, is in the store, in our logs or in what commands print, also after a restart', async () => {
  const texts = Object.entries(ENCODINGS).map(
    ([name, encode]) => [`leaks/${name.replaceAll(' ', '-')}.txt`, CANARIES.map(encode).join('\n')] as const,
  );
  const say = [
    'for file in leaks/*; do furrow progress "$(cat "$file")"; done',
    'furrow ask "$(cat leaks/raw.txt leaks/json.txt)"',
    'furrow notify "$FURROW_AGENT" "$(cat leaks/raw.txt leaks/hex.txt)"',
    'cat leaks/*',
  ];
  const failing = 'if [ -e src/1.txt ]; then cat leaks/*; printf "Error: "; cat leaks/json.txt; exit 1; fi\n';
  await using repo = await shellRepo(
    { 1: [...say, commits('1'), 'furrow done --summary "$(cat leaks/base64.txt leaks/lines.txt)"'].join('\n') },
    CONFIG,
    { 'check.sh': failing, ...Object.fromEntries(texts) },
  );
  await writeBoard(repo, [{ id: 1 }]);
  Object.assign(repo.env, Object.fromEntries(CANARIES.map((value, n) => [NAMES[n]!, value])));
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1');
  const events = await running.events();
  expect(events.filter(({ kind }) => kind === 'agent.progress').length, 'the agent said it all').toBeGreaterThanOrEqual(texts.length);
  await killDaemon(running);
  // The next daemon is started from a shell that has none of the secrets.
  for (const name of NAMES) delete repo.env[name];
  for (const words of [
    'status --json',
    'log --json',
    'log',
    'show 1 --json',
    'why 1',
    'logs 1',
    'list --json',
    'inbox --json',
    'queue --json',
    'doctor',
  ]) {
    const said = await running.furrow(...words.split(' '));
    expect(leaksIn(said.stdout + said.stderr), words).toEqual([]);
  }
  const dir = join(repo.root, '.furrow');
  const open: string[] = [];
  for (const name of await readdir(dir, { recursive: true })) {
    const info = await stat(join(dir, name)).catch(() => undefined);
    if (!info?.isFile()) continue;
    if (name.startsWith('logs') && (info.mode & 0o077) !== 0) open.push(name);
    if (!THEIRS.test(name)) expect(leaksIn(await readFile(join(dir, name), 'latin1')), name).toEqual([]);
  }
  expect(open, 'logs that others may read').toEqual([]);
});
