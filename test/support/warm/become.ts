import { closeSync, openSync } from 'node:fs';

/** Makes this process what a new one would be: its environment, its folder, and files behind descriptors 1 and 2. */
export function become(env: NodeJS.ProcessEnv, cwd: string, [out, err]: readonly [string, string]): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  for (const [fd, file] of [
    [1, out],
    [2, err],
  ] as const) {
    closeSync(fd);
    // The lowest free number is the one that was just closed.
    openSync(file, 'a', 0o600);
  }
}
