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
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])),
  /** There for a pull request, which GitHub lists as an issue, too. */
  pull_request: z.unknown().optional(),
});

export function github(place: ForgePlace, token: string | undefined): Forge {
  const ask = requests(place, {
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  });
  const repo = `repos/${place.project}`;
  return {
    place,
    async whoAmI() {
      const { value, headers } = await ask.get('user', z.object({ login: z.string() }));
      // A fine-grained token does not tell its rights.
      const scopes = headers.get('x-oauth-scopes');
      return { name: value.login, rights: scopes === null ? null : words(scopes) };
    },
    async issue(number) {
      const { value } = await ask.get(`${repo}/issues/${number}`, issueSchema);
      return issueOf(value);
    },
    async issues(label) {
      const query = new URLSearchParams({ labels: label, state: 'open', sort: 'created', direction: 'asc', per_page: '100' });
      const found = await ask.all(`${repo}/issues?${query}`, issueSchema);
      return found.filter((one) => !one.pull_request).map(issueOf);
    },
  };
}

const words = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '');

function issueOf({ number, title, body, html_url, state, user, labels }: z.output<typeof issueSchema>): Issue {
  return {
    number,
    title,
    body: body ?? '',
    url: html_url,
    // An account that was deleted.
    author: user?.login ?? 'ghost',
    labels: labels.flatMap((label) => (typeof label === 'string' ? [label] : (label.name ?? []))),
    state: state === 'closed' ? 'closed' : 'open',
  };
}
