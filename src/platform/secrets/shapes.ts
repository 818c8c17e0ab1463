/** A secret that is recognised by its shape alone: its value may come from a file that we never see. */
export interface SecretShape {
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
