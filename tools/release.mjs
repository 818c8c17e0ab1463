// Publishes the version that package.json names, and tags it.
//   npm run release -- --dry-run   looks at everything and publishes nothing
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packageProblems } from './package-files.mjs';

const cwd = fileURLToPath(new URL('..', import.meta.url));
const dry = process.argv.includes('--dry-run');
const { version, repository } = JSON.parse(readFileSync(`${cwd}package.json`, 'utf8'));
const tag = `v${version}`;

/** Runs a command and returns its output; its failure ends the release. */
function run(...argv) {
  const { status, stdout } = spawnSync(argv[0], argv.slice(1), { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) end(`${argv.join(' ')} failed`);
  return stdout;
}

/** The same, with its output where people see it. */
function show(...argv) {
  if (spawnSync(argv[0], argv.slice(1), { cwd, stdio: 'inherit' }).status !== 0) end(`${argv.join(' ')} failed`);
}

function end(sentence) {
  console.error(`release: ${sentence}`);
  process.exit(1);
}

/** The obstacles to a release of this commit, apart from the package's content. */
function unready() {
  const changes = readFileSync(`${cwd}CHANGELOG.md`, 'utf8');
  return [
    ...(run('git', 'status', '--porcelain') === '' ? [] : ['there are changes that are not committed']),
    ...(run('git', 'tag', '--list', tag) === '' ? [] : [`${tag} is there already: raise the version in package.json`]),
    ...(changes.includes(`\n## ${version} `) ? [] : [`CHANGELOG.md has no heading "## ${version} (date)"`]),
    ...(repository ? [] : ['package.json names no repository']),
  ];
}

const problems = unready();
for (const problem of problems) console.error(`release: ${dry ? 'would be refused: ' : ''}${problem}`);
if (problems.length > 0 && !dry) process.exit(1);

show('npm', 'run', 'build');
const [{ files }] = JSON.parse(run('npm', 'pack', '--dry-run', '--json', '--ignore-scripts'));
const wrong = packageProblems(
  files.map(({ path }) => path),
  run('git', 'ls-files', '-z').split('\0').filter(Boolean),
);
if (wrong.length > 0) end(`the package is not what it should be:\n  ${wrong.join('\n  ')}`);
console.log(`furrow ${version}: ${files.length} files, as they should be`);

if (!dry) for (const script of ['check', 'test']) show('npm', 'run', script);
// Scripts are off: what was looked at is what is published.
show('npm', 'publish', '--ignore-scripts', ...(dry ? ['--dry-run', '--silent'] : []));
if (!dry) show('git', 'tag', tag);
console.log(dry ? 'nothing was published' : `published; push the tag with: git push origin ${tag}`);
