import { SHORTEST } from './encodings.ts';

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
