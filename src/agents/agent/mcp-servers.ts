import { SECRET_SHAPES } from '../../platform/secrets/shapes.ts';
import { namedPaths } from '../../repo/fence/visible-paths.ts';
import { type Fields, fields, list, text } from './drivers/json.ts';
import { type Asked, isHidden } from './personal-files.ts';

/** The MCP servers that a person chose in their own configuration, by what becomes of them in a fence. */
export interface PersonsServers {
  readonly on: Fields;
  readonly off: readonly string[];
}

/**
 * Servers go along as they are, but for those that could hand over a secret that the agent does not have today, and those that would not start because
 * the fence hides a file they name. A variable that a server names (`${TOKEN}`) is filled in inside, from what the agent has.
 */
export function personsServers(servers: Fields, asked: Asked): PersonsServers {
  const judged = Object.entries(servers).map(([name, server]) => ({ name, server, why: whyNot(name, fields(server), asked) }));
  return {
    on: Object.fromEntries(judged.filter(({ why }) => why === undefined).map(({ name, server }) => [name, server])),
    off: judged.flatMap(({ name, why }) => (why === undefined ? [] : [`MCP server ${name} (${why})`])),
  };
}

const SECRET = /auth(?!ors?(?![a-z]))|passw|token|secret|_cert|cookie|api[-_ ]?key|(?<![a-z])key(?![a-z])|:\/\/[^/\s]*@/i;
/** A part of an address that looks random, such as a key. */
const RANDOM = /(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{20,}/i;

function whyNot(name: string, server: Fields, asked: Asked): string | undefined {
  if (name === 'furrow') return "furrow's own has this name";
  const words = [server['command'], ...list(server['args'])].map(text);
  const pairs = [...Object.entries(fields(server['env'])), ...Object.entries(fields(server['headers']))];
  const secret = pairs.find(([key, value]) => literal(text(value)) !== '' && mayBeSecret(`${key}=${literal(text(value))}`));
  if (secret) return `its ${secret[0]} may be a secret; write $\{${variableOf(secret[0])}} there, and name that in pass_env`;
  if (words.some((word) => mayBeSecret(literal(word)))) return 'its arguments may hold a secret';
  const url = literal(text(server['url']));
  if (mayBeSecret(url) || RANDOM.test(url.replace(/^https?:\/\/[^/]*/, ''))) return 'its address may hold a secret';
  const hidden = namedPaths(words).find((path) => isHidden(path, asked));
  return hidden === undefined ? undefined : `the fence hides ${hidden}; in furrow.yaml, fence: { read: [${hidden}] } shows it`;
}

const variableOf = (key: string) => key.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase();

/** A value without what is filled in when the server starts. */
const literal = (value: string) => value.replace(/\$\{[^}]*\}/g, '').replace(/^(?:bearer|basic)?\s*$/i, '');

function mayBeSecret(value: string): boolean {
  return SECRET.test(value) || SECRET_SHAPES.some(({ shape }) => value.search(shape) >= 0);
}
