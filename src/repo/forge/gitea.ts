import { z } from 'zod';
import type { Forge, ForgePlace, Issue } from './forge.ts';
import { requests } from './request.ts';

const issueSchema = z.object({
  number: z.number().int(),
  title: z.string(),
  body: z.string().nullish(),
  html_url: z.string(),
  state: z.string(),
  user: z.object({ login: z.string() }).nullish(),
  labels: z.array(z.object({ name: z.string() })).nullish(),
  pull_request: z.unknown().optional(),
});

/** Gitea, and Forgejo, which has the same interface. */
export function gitea(place: ForgePlace, token: string | undefined): Forge {
  const ask = requests(place, token === undefined ? {} : { authorization: `token ${token}` });
  const repo = `repos/${place.project}`;
  return {
    place,
    async whoAmI() {
      const { value } = await ask.get('user', z.object({ login: z.string() }));
      return { name: value.login, rights: null };
    },
    async issue(number) {
      const { value } = await ask.get(`${repo}/issues/${number}`, issueSchema);
      return issueOf(value);
    },
    async issues(label) {
      const query = new URLSearchParams({ type: 'issues', labels: label, state: 'open', limit: '50' });
      const found = await ask.all(`${repo}/issues?${query}`, issueSchema);
      // The newest come first, and no order can be asked for. A label that nobody made is ignored by Gitea: all issues come.
      const wanted = found.map(issueOf).filter(({ labels }) => labels.includes(label));
      return wanted.toSorted((a, b) => a.number - b.number);
    },
  };
}

function issueOf({ number, title, body, html_url, state, user, labels }: z.output<typeof issueSchema>): Issue {
  return {
    number,
    title,
    body: body ?? '',
    url: html_url,
    author: user?.login ?? 'ghost',
    labels: (labels ?? []).map(({ name }) => name),
    state: state === 'closed' ? 'closed' : 'open',
  };
}
