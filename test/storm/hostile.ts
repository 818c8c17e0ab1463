import { readdir } from 'node:fs/promises';
import { furrow, furrowIn } from '../support/farm.ts';
import { CANARY, hostile as corpus } from '../support/hostile.ts';
import { fsck } from '../support/oracle.ts';
import { gitRepo, type TestRepo } from '../support/repo.ts';
import { fileMatrix } from './hostile/files.ts';
import { Judge } from './hostile/judge.ts';
import { wholeMatrix } from './hostile/matrix.ts';
import { hostileRepositories } from './hostile/run.ts';
import { nothingLeft } from './invariants.ts';
import type { Outcome, StormOptions } from './scenario.ts';

/**
 * Texts in every place where texts go, repositories made by somebody who wants to run something, and every git key that starts a program or names
 * a place in every place of the configuration: `--only words|repository|matrix`.
 */
export async function hostile(options: StormOptions): Promise<Outcome> {
  const parts = { words: hostileWords, repository: hostileRepositories, matrix: wholeMatrix, files: fileMatrix };
  const done: Outcome[] = [];
  for (const [name, part] of Object.entries(parts)) if ((options.only ?? name).split(':')[0] === name) done.push(await part(options));
  return { facts: Object.assign({}, ...done.map(({ facts }) => facts)), violations: done.flatMap(({ violations }) => violations) };
}

/** The corpus in every place where words go in: each is either taken as it is, or refused in one sentence; none is run. */
async function hostileWords(options: StormOptions): Promise<Outcome> {
  const repo = await gitRepo({
    'README.md': 'words\n',
    'furrow.yaml': 'agent: scripted\nagents:\n  scripted: { driver: scripted }\ncheck: "true"\n',
    'board/tasks/.keep': '',
  });
  options.opened(repo);
  const words = options.tasks === undefined ? corpus : corpus.slice(0, options.tasks);
  const judge = new Judge();
  await asTitles(repo, words, judge);
  await asNames(repo, words, judge);
  options.say(`${words.length} texts given as titles, bodies, ids and branches; now the agents work on them`);
  const work = await furrowIn(repo, { timeoutMs: 900_000 }, 'work', '--parallel', '4');
  judge.hear('work', work);
  for (const words of [['status'], ['list'], ['queue'], ['log'], ['plan']]) judge.hear(words[0]!, await furrow(repo, ...words));
  const violations = [...judge.violations, ...(await canaries(repo)), ...(await fsck(repo)), ...(await nothingLeft(repo))];
  if (options.keep || violations.length > 0) options.say(`the repository is kept: ${repo.root}`);
  else await repo[Symbol.asyncDispose]();
  return { facts: { texts: words.length, said: judge.heard }, violations };
}

async function asTitles(repo: TestRepo, words: readonly string[], judge: Judge): Promise<void> {
  for (const [n, text] of words.entries()) {
    const script = ['```script', `write made/${n}.txt ${n}`, 'commit made', '```'].join('\n');
    const added = await furrowIn(repo, { input: `${script}\n\n${text}\n` }, 'add', '--body=-', '--json', '--', text);
    judge.hear(`add ${JSON.stringify(text.slice(0, 40))}`, added);
    if (added.code !== 0) continue;
    const shown = await furrow(repo, 'show', (added.json() as { id: string }).id, '--json');
    judge.hear('show', shown);
    const title = shown.code === 0 ? (shown.json() as { title: string }).title : undefined;
    if (title !== text)
      judge.violations.push(`the title ${JSON.stringify(text.slice(0, 60))} came back as ${JSON.stringify(title?.slice(0, 60))}`);
  }
}

async function asNames(repo: TestRepo, words: readonly string[], judge: Judge): Promise<void> {
  const short = words.filter((text) => text.length < 200);
  for (const [n, text] of short.entries()) {
    await repo.write(
      `board/tasks/9${String(n).padStart(3, '0')}-id.md`,
      `---\nid: ${JSON.stringify(text)}\ntitle: an id\nstatus: backlog\n---\n`,
    );
    judge.hear(`why ${JSON.stringify(text)}`, await furrow(repo, 'why', '--', text));
    const branch = await repo.tryGit('branch', '--', text, 'main');
    if (branch.code === 0 || n % 4 === 0) judge.hear(`submit ${JSON.stringify(text)}`, await furrow(repo, 'submit', '--', text));
  }
  judge.hear('list', await furrow(repo, 'list', '--json'));
}

async function canaries(repo: TestRepo): Promise<string[]> {
  const files = await readdir(repo.base, { recursive: true });
  return files.filter((name) => name.split('/').at(-1) === CANARY).map((name) => `text was run: ${name}`);
}
