import { z } from 'zod';
import { field, line } from './fields.ts';

/** A token goes there, so the address is encrypted, or on this machine. */
const api = z.url({ protocol: /^https?$/ }).refine((text) => {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
});

const issues = z.strictObject({
  label: field(
    line.nullable().default(null),
    'the name of a label',
    'The issues that `furrow import` takes when it is given no other label or number.',
  ),
});

/** Where the repository is, as far as the address of origin does not tell. */
export const forge = z.strictObject({
  kind: field(
    z.enum(['github', 'gitlab', 'gitea']).nullable().default(null),
    'one of github, gitlab, gitea',
    'Its program; `gitea` for Forgejo, too. Default: by the host of the remote origin.',
  ),
  api: field(
    api.nullable().default(null),
    'a https address, such as https://git.example.org/api/v1',
    'The address of its interface. Default: the usual one of the host of origin.',
  ),
  issues: field(issues.prefault({}), 'a map', 'The issues that become tasks.'),
});
