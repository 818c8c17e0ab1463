/** Values that must not be told: tokens we made, and what variables named like secrets hold. */
const known = new Set<string>();

/** Shorter values are words: hiding each `1` or `test` would hide the log. */
const SHORTEST = 8;

const NAMED = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)S?$/i;

/** The forms that keys of the common providers have; a key can also come from a file that we never see. */
const FORMS =
  /\b(sk-(?:ant-|proj-)?[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|AIza[A-Za-z0-9_-]{30,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})/g;

/** From now on the values of its secret variables are hidden in whatever goes through `redact`. */
export function keepSecrets(env: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(env)) if (value && value.length >= SHORTEST && NAMED.test(name)) known.add(value);
}

export function redact(text: string): string {
  let plain = text.replace(FORMS, (form) => `${form.slice(0, 4)}…`);
  for (const value of known) if (plain.includes(value)) plain = plain.replaceAll(value, '…');
  return plain;
}
