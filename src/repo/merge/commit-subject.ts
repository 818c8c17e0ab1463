import { git, type Repo } from '../../platform/git/run.ts';
import { contents } from './changes.ts';

/** The first paragraph of a commit's message in one line, as `git show --format=%s` prints it, without starting a git. */
export async function subjectOf(repo: Repo, commit: string): Promise<string> {
  const [raw = ''] = await contents(repo, [commit]);
  const head = raw.indexOf('\n\n');
  // Git knows the other encodings.
  if (head < 0 || /^encoding /m.test(raw.slice(0, head))) return git(repo, ['show', '-s', '--format=%s', commit]);
  return subjectIn(Buffer.from(raw.slice(head + 2), 'latin1').toString('utf8'));
}

/** Blank for git is what has nothing but spaces, tabs and ends of lines. */
function subjectIn(message: string): string {
  const lines = (message.split('\0')[0] ?? '').split('\n').map((line) => line.replace(/[ \t\r]+$/, ''));
  const from = lines.findIndex((line) => line !== '');
  if (from < 0) return '';
  const end = lines.indexOf('', from);
  return lines.slice(from, end < 0 ? undefined : end).join(' ');
}
