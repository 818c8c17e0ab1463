// Makes docs/pictures/top.svg, a recording of `furrow top` on the demo farm: `npm run recording`.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect } from '../../src/api/client.ts';
import { exec } from '../../src/platform/exec.ts';
import { BIN, begin } from '../support/farm.ts';
import { plainEnv } from '../support/repo.ts';
import { terminalSvg } from './terminal-svg.ts';

const FILE = fileURLToPath(new URL('../../docs/pictures/top.svg', import.meta.url));
const SIZE = { columns: 140, rows: 38 };
/** A picture every two seconds of the run, shown for one. */
const EVERY_MS = 2000;
const MOST = 40;

const base = await mkdtemp(join(tmpdir(), 'furrow-recording-'));
const place = { root: base, home: base, env: { TMPDIR: base, FURROW_TRUST: '1' } };
const { NO_COLOR: _, ...env } = plainEnv(place);
const tmux = async (...argv: string[]) => {
  const all = { ...env, TERM: 'xterm-256color', TMUX_TMPDIR: base };
  const done = await exec(['tmux', '-L', 'recording', '-f', '/dev/null', ...argv], { cwd: base, env: all, timeoutMs: 60_000 });
  if (done.code !== 0) throw new Error(`tmux ${argv.join(' ')}: ${done.stderr}`);
  return done.stdout;
};

const demo = begin(place, 'demo', '--web', '--tasks', '18');
try {
  await demo.said('Ctrl-C ends the demo');
  const [folder] = (await readdir(base)).filter((name) => name.startsWith('furrow-demo-'));
  const root = join(base, folder!, 'cookbook');
  const [x, y] = [String(SIZE.columns), String(SIZE.rows)];
  await tmux('new-session', '-d', '-s', 'top', '-x', x, '-y', y, process.execPath, BIN, 'top', '--repo', root);
  const farm = await connect(root, { start: false });
  const screens: string[] = [];
  for (let asked = 0; screens.length < MOST && asked < 4; ) {
    await pause(EVERY_MS);
    const screen = await tmux('capture-pane', '-p', '-e', '-t', 'top');
    if (screen.includes('landed') && screen !== screens.at(-1)) screens.push(screen);
    const { attention, tasks } = await farm.call('status', {});
    // The last task waits for a yes: it is seen for a moment, given by its key, and the farm at rest is the last picture.
    if (attention.length > 0 && ++asked === 3) await tmux('send-keys', '-t', 'top', 'y');
    if (tasks['landed'] === 18) asked++;
  }
  await writeFile(FILE, terminalSvg('furrow top, while four agents work through eighteen tasks', screens, SIZE));
  console.log(`${FILE}: ${screens.length} screens`);
  farm.close();
} finally {
  await tmux('kill-server').catch(() => {});
  process.kill(demo.pid, 'SIGINT');
  await demo.ended;
  await rm(base, { recursive: true, force: true });
}
