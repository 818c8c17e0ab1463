// Installs the coding agents that the tests with real ones need, each at one exact version, in a cache folder of its own.
//   node tools/agents.mjs [names…]      installs what is missing (default: all of them) and says what is there
//   node tools/agents.mjs --list --json only says it
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = process.env.FURROW_AGENTS_CACHE ?? join(root, 'node_modules/.cache/furrow-agents');
const run = promisify(execFile);

/**
 * `script` is the one install script that is needed: it puts the binary of this machine into place. All others stay
 * off, whatever npm would do by itself. Raising a version: change it here, run `npm run test:agents`.
 */
const AGENTS = {
  claude: { package: '@anthropic-ai/claude-code', version: '2.1.325', script: 'install.cjs' },
  codex: { package: '@openai/codex', version: '0.166.0' },
  opencode: { package: 'opencode-ai', version: '1.18.18', script: 'postinstall.mjs' },
  gemini: { package: '@google/gemini-cli', version: '0.61.0' },
  qwen: { package: '@qwen-code/qwen-code', version: '0.24.4' },
  'claude-agent-acp': { package: '@agentclientprotocol/claude-agent-acp', version: '0.99.0' },
};

const folderOf = (name) => join(cache, `${name}-${AGENTS[name].version}`);
const binOf = (name, folder = folderOf(name)) => join(folder, 'node_modules/.bin');
/** Written last, and only after the agent has said its version: what has it was whole once. */
const markOf = (folder) => join(folder, 'verified');

const here = (name) => ({ name, version: AGENTS[name].version, bin: binOf(name), reason: null });
const missing = (name, reason) => ({ name, version: AGENTS[name].version, bin: null, reason });
const isThere = (name) => existsSync(markOf(folderOf(name))) && existsSync(join(binOf(name), name));

/** Installs beside and renames: whoever comes second, of two at the same time, finds it there. */
async function install(name) {
  if (isThere(name)) return here(name);
  await mkdir(cache, { recursive: true });
  const work = mkdtempSync(join(cache, `.${name}-`));
  try {
    await fetchPackage(name, work);
    await verify(name, work);
    writeFileSync(markOf(work), `${AGENTS[name].version}\n`);
    if (!isThere(name)) {
      // What is there without a mark was never whole.
      rmSync(folderOf(name), { recursive: true, force: true });
      renameSync(work, folderOf(name));
    }
    return here(name);
  } catch (error) {
    return isThere(name) ? here(name) : missing(name, reasonOf(error));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function fetchPackage(name, folder) {
  const { package: from, version, script } = AGENTS[name];
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: { [from]: version } }));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  await run(process.execPath, [npm(), ...args], { cwd: folder, timeout: 600_000, env: environment() });
  const got = JSON.parse(readFileSync(join(folder, 'node_modules', from, 'package.json'), 'utf8')).version;
  if (got !== version) throw new Error(`npm gave ${got} instead of ${version}`);
  if (script) await run(process.execPath, [script], { cwd: join(folder, 'node_modules', from), timeout: 300_000, env: environment() });
}

/** Starts it, in a home that it may fill with whatever it likes. */
async function verify(name, folder) {
  const home = mkdtempSync(join(tmpdir(), 'furrow-agents-'));
  try {
    const env = { PATH: environment().PATH, HOME: home, TMPDIR: home, LANG: 'C.UTF-8' };
    const { stdout, stderr } = await run(join(binOf(name, folder), name), ['--version'], { cwd: home, env, timeout: 120_000 });
    const said = `${stdout}${stderr}`.trim();
    if (!said.includes(AGENTS[name].version)) throw new Error(`${name} --version says ${said.slice(0, 100) || 'nothing'}`);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The scripts that agents are started by say `env node`: that must be this one, not an older one of the machine. */
function environment() {
  return { ...process.env, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) };
}

function npm() {
  const named = process.env.npm_execpath;
  if (named?.endsWith('npm-cli.js')) return named;
  const found = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'npm'));
  const path = found.find((file) => existsSync(file) && realpathSync(file).endsWith('npm-cli.js'));
  if (!path) throw new Error('there is no npm on the PATH');
  return realpathSync(path);
}

/** npm says the reason on its first lines, and where it logged it on the last. */
function reasonOf(error) {
  if (error.killed) return 'it took too long';
  const text = String(error.stderr || error.message);
  const lines = text.split('\n').map((line) => line.replace(/^npm (error|ERR!)\s*(code \S+)?/, '').trim());
  return lines
    .filter((line) => line !== '' && !/complete log|^at /.test(line))
    .slice(0, 2)
    .join('; ')
    .slice(0, 300);
}

/** Removes the folders that a killed installer left. A folder that is being filled now has a living owner: an hour is enough. */
async function sweep() {
  const names = await readdir(cache).catch(() => []);
  const { statSync } = await import('node:fs');
  for (const name of names.filter((one) => one.startsWith('.'))) {
    const path = join(cache, name);
    if (Date.now() - statSync(path).mtimeMs > 3_600_000) rmSync(path, { recursive: true, force: true });
  }
}

async function main(words) {
  const names = words.filter((word) => !word.startsWith('--'));
  const unknown = names.filter((name) => !(name in AGENTS));
  if (unknown.length > 0) throw new Error(`no such agent: ${unknown.join(', ')}; there are ${Object.keys(AGENTS).join(', ')}`);
  const wanted = names.length > 0 ? names : Object.keys(AGENTS);
  const found = [];
  if (words.includes('--list')) for (const name of wanted) found.push(isThere(name) ? here(name) : missing(name, 'it is not installed'));
  else {
    await sweep();
    // One at a time: npm's cache is shared, and two cores are busy with one download of 100 MB.
    for (const name of wanted) found.push(await install(name));
  }
  const line = ({ name, version, bin, reason }) => `${name} ${version}  ${reason === null ? bin : `SKIPPED: ${reason}`}`;
  console.log(words.includes('--json') ? JSON.stringify(found) : found.map(line).join('\n'));
  return found.every(({ reason }) => reason === null) ? 0 : 1;
}

const words = process.argv.slice(2);
const own = join(root, 'node_modules/node/bin/node');
if (Number(process.versions.node.split('.')[0]) < 22 && existsSync(own) && realpathSync(own) !== process.execPath) {
  process.exitCode = spawnSync(own, [fileURLToPath(import.meta.url), ...words], { stdio: 'inherit' }).status ?? 1;
} else {
  process.exitCode = await main(words).catch((error) => {
    console.error(error.message);
    return 2;
  });
}
