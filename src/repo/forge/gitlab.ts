import { z } from 'zod';
import type { Forge, ForgePlace, Issue } from './forge.ts';
import { requests } from './request.ts';

const issueSchema = z.object({
  iid: z.number().int(),
  title: z.string(),
  description: z.string().nullish(),
  web_url: z.string(),
  state: z.string(),
  author: z.object({ username: z.string() }).nullish(),
  labels: z.array(z.string()),
});

export function gitlab(place: ForgePlace, token: string | undefined): Forge {
  const ask = requests(place, token === undefined ? {} : { authorization: `Bearer ${token}` });
  const project = `projects/${encodeURIComponent(place.project)}`;
  return {
    place,
    async whoAmI() {
      const { value } = await ask.get('user', z.object({ username: z.string() }));
      const scopes = z.object({ scopes: z.array(z.string()) });
      // Only a personal token tells its rights.
      const rights = await ask.get('personal_access_tokens/self', scopes).then(
        ({ value: own }) => own.scopes,
        () => null,
      );
      return { name: value.username, rights };
    },
    async issue(number) {
      const { value } = await ask.get(`${project}/issues/${number}`, issueSchema);
      return issueOf(value);
    },
    async issues(label) {
      const query = new URLSearchParams({ labels: label, state: 'opened', order_by: 'created_at', sort: 'asc', per_page: '100' });
      return (await ask.all(`${project}/issues?${query}`, issueSchema)).map(issueOf);
    },
  };
}

function issueOf({ iid, title, description, web_url, state, author, labels }: z.output<typeof issueSchema>): Issue {
  return {
    number: iid,
    title,
    body: description ?? '',
    url: web_url,
    author: author?.username ?? 'ghost',
    labels,
    state: state === 'closed' ? 'closed' : 'open',
  };
}
