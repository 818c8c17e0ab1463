import { exec } from '../../platform/exec.ts';
import { findOnPath } from '../../platform/on-path.ts';
import { type Escape, told } from './escape.ts';

/** Numbers of add_key, request_key and keyctl. */
const CALLS: Readonly<Record<string, readonly [number, number, number]>> = { x64: [248, 249, 250], arm64: [217, 218, 219] };

const NAME = 'furrow-key';

/** Begins a session with a key in its keyring, as a login does, and then becomes a command. */
const withKey = ([add, , keyctl]: readonly number[], secret: string) => [
  ...['perl', '-e'],
  `my ($t, $d, $s, $z) = ("user", "${NAME}", shift, 0); exit 3 if syscall(${keyctl}, 1, $z) < 0 || syscall(${add}, $t, $d, $s, length $s, -3) < 0; exec @ARGV or exit 4`,
  secret,
];

/** Asks every keyring of the process, and the kernel itself, for the key, and prints it. */
const read = ([, request, keyctl]: readonly number[]) =>
  `perl -e 'my ($t, $d) = ("user", "${NAME}"); for my $r (-1, -2, -3, -4, -5, 0) { my $k = $r ? syscall(${keyctl}, 10, $r, $t, $d, 0) : syscall(${request}, $t, $d, 0, 0); next if $k <= 0; my $b = "\\0" x 256; syscall(${keyctl}, 11, $k, $b, 256); print "$b\\n" }'`;

const calls = CALLS[process.arch] ?? [0, 0, 0];

/** Tries on the keyring of the login, which every process inherits. */
export const KEYRING: readonly Escape[] = [
  told('read a key of the login', read(calls)),
  told('read a key of the login in a namespace of its own', `unshare -Ur ${read(calls)}`),
];

/** Words in front of a fence that start it in a session with a key; none where the machine has no perl or no keyrings. */
export async function loginWithKey(env: Readonly<Record<string, string>>, secret: string): Promise<string[]> {
  if (!CALLS[process.arch] || !findOnPath('perl', env['PATH'] ?? '')) return [];
  const words = withKey(calls, secret);
  const tried = await exec([words[0]!, ...words.slice(1), 'sh', '-c', read(calls)], { env, timeoutMs: 5000 });
  return tried.stdout.includes(secret) ? words : [];
}
