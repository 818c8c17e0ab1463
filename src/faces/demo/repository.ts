import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { initRepo } from '../../platform/git/repository.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import type { DemoTask } from './tasks.ts';

/** The check of the demo's project, in plain sh: quick, and strict enough that wrong work is really red. */
const CHECK = `#!/bin/sh
# Every recipe adds up, every dish on the menu has a recipe, and no conflict was committed.
for recipe in recipes/*.txt; do
  [ -e "$recipe" ] || continue
  awk -v name="$recipe" '
    $1 == "total" { total = $2; next } { sum += $2 }
    END { if (sum != total) { print name ": the ingredients are " sum ", but the total says " total; exit 1 } }' "$recipe" || exit 1
done
for day in menu/*.txt; do
  [ -e "$day" ] || continue
  read -r dish < "$day"
  [ -e "recipes/$dish.txt" ] || { echo "$day: there is no recipe for $dish"; exit 1; }
done
if grep -q '^<<<<<<<' guests.txt; then echo "guests.txt: an unresolved conflict"; exit 1; fi
`;

const CONFIG = `# The demo's agents follow a script in their task; yours will be claude, codex or any command.
agent: scripted
agents:
  scripted:
    driver: scripted
    env:
      # For a task without a script, such as one that you add.
      SCRIPTED_OTHERWISE: |
        \`\`\`script
        say this agent has no model: it only notes that there is such a task
        work 2000
        write notes/task-$task.txt Somebody who can cook should do task $task.
        commit note task $task
        \`\`\`
check: sh check.sh
`;

export interface DemoRepository {
  /** The throwaway folder that holds the repository and nothing else. */
  readonly folder: string;
  readonly repo: Repo;
  readonly first: string;
}

/** A small real repository: a cookbook with a check, a configuration and a board, in one commit. */
export async function makeRepository(tasks: readonly DemoTask[]): Promise<DemoRepository> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'furrow-demo-')));
  const root = join(folder, 'cookbook');
  const repo = { root, gitDir: join(root, '.git') };
  await writeAll(root, {
    'README.md': '# A cookbook\n\nRecipes, a menu for the week, and who is coming.\n',
    'check.sh': CHECK,
    'furrow.yaml': CONFIG,
    'guests.txt': 'Guests\n(nobody yet)\n',
    ...Object.fromEntries(tasks.map((task) => [`board/tasks/${String(task.id).padStart(3, '0')}-${slug(task.title)}.md`, taskFile(task)])),
  });
  await initRepo(repo);
  const us = ['user.name=furrow demo', 'user.email=demo@furrow.invalid'];
  for (const one of us) await git(repo, ['config', '--file', join(repo.gitDir, 'config'), ...one.split('=')]);
  await git(repo, ['add', '-A']);
  await git(repo, ['commit', '--quiet', '--message', 'An empty cookbook'], { config: us });
  return { folder, repo, first: await git(repo, ['rev-parse', 'HEAD']) };
}

async function writeAll(root: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

const slug = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** A kanban-md file. The titles are ours and plain, so nothing needs quoting. */
function taskFile(task: DemoTask): string {
  return [
    '---',
    `id: ${task.id}`,
    `title: ${task.title}`,
    'status: todo',
    `priority: ${task.priority ?? 'medium'}`,
    'created: 2026-01-01T00:00:00Z',
    'updated: 2026-01-01T00:00:00Z',
    ...(task.land ? [`land: ${task.land}`] : []),
    ...(task.after ? ['depends_on:', ...task.after.map((id) => `    - ${id}`)] : []),
    '---',
    '',
    task.text,
    '',
    '```script',
    ...task.script,
    '```',
    '',
  ].join('\n');
}
