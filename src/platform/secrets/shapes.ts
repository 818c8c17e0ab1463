import { SHORTEST } from './encodings.ts';

/** A secret that is recognised by its shape alone: its value may come from a file that we never see. */
interface SecretShape {
  readonly name: string;
  /** Global, for `replace` and `matchAll`. */
  readonly shape: RegExp;
}

/** The shapes of common keys. They are redacted, and work is screened for them before it lands. */
export const SECRET_SHAPES: readonly SecretShape[] = [
  {
    name: 'private key',
    shape: /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  { name: 'Anthropic or OpenAI key', shape: /(?<![A-Za-z0-9])sk-(?:ant-|proj-|svcacct-|admin-)?[A-Za-z0-9_-]{16,}/g },
  { name: 'GitHub token', shape: /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/g },
  { name: 'GitLab token', shape: /(?<![A-Za-z0-9])gl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_-]{16,}/g },
  { name: 'Google API key', shape: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{30,}/g },
  { name: 'AWS access key', shape: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  { name: 'Slack token', shape: /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,}/g },
  { name: 'Stripe key', shape: /(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g },
  { name: 'Slack webhook', shape: /hooks\.slack\.com\/services\/T[A-Za-z0-9_]{6,}\/B[A-Za-z0-9_]{6,}\/[A-Za-z0-9_]{16,}/g },
  { name: 'PyPI token', shape: /(?<![A-Za-z0-9])pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{40,}/g },
  { name: 'SendGrid key', shape: /(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{30,}/g },
  { name: 'Hugging Face token', shape: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}/g },
  { name: 'Docker token', shape: /(?<![A-Za-z0-9])dckr_pat_[A-Za-z0-9_-]{20,}/g },
  { name: 'npm token', shape: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,}/g },
  { name: 'JSON web token', shape: /(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g },
];

const NAMED =
  /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PASSPHRASE|CREDENTIAL|AUTH|PAT|DSN|COOKIE)S?(?:_|$)|(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)S?$/i;
/** These name a place, not a secret. */
const PLACES = /_(?:SOCK|FILE|PATH|DIR|HOME|NAME|ID|PID|HOST|PORT|ASKPASS|PROGRAM)$/i;
/** A password in an address. */
const USERINFO = /[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:([^\s/@]+)@/gi;

/** The secrets among the variables of an environment: those whose names say so, and passwords in addresses. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    const own = NAMED.test(name) && !PLACES.test(name) ? [value] : [];
    return [...own, ...[...value.matchAll(USERINFO)].map(([, password]) => password!)].filter((one) => one.length >= SHORTEST);
  });
}
