import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { RUN_BY_LINE } from '../../config/contradictions.ts';
import { isBelow } from '../../platform/places.ts';
import { pinnedLevel } from '../../repo/fence/level.ts';
import { filesNamedIn } from '../../repo/fence/visible-paths.ts';
import type { Attempt } from '../../work/attempt/store.ts';
import { settingsOf } from '../farm/agent-settings.ts';
import type { Host } from './host.ts';

/**
 * The file that a command of furrow.yaml missed because the fence shows the script alone and not its folder, with the line that shows it; `undefined`:
 * nothing tells of one. The folder is that of the script, which a person named: the output only says that something in it was missed.
 */
export function hiddenByFence(farm: Pick<Host, 'config' | 'repo'>, row: Attempt, output: string): string | undefined {
  const { driver, run } = settingsOf(farm.config, row);
  if (!RUN_BY_LINE.has(driver) || run === undefined || pinnedLevel(row.settings) === 'none') return undefined;
  const home = homedir();
  const shown = farm.config.fence.read.map((path) => resolve(path.replace(/^~(?=\/|$)/, home)));
  for (const script of filesNamedIn([run], home)) {
    const folder = dirname(script);
    const missed = missedIn(output, folder).find((path) => path !== script && existsSync(path) && !shown.some((one) => isBelow(path, one)));
    if (missed === undefined) continue;
    if (isBelow(script, farm.repo.root))
      return `it did not find ${missed}: the fence hides your checkout; name the script by its path in the repository, ${relative(farm.repo.root, script)}`;
    const show = isBelow(home, folder) ? missed : folder;
    return `it did not find ${missed}, which the fence hides; in furrow.yaml, fence: { read: [${JSON.stringify(show)}] } shows it`;
  }
  return undefined;
}

const ENDINGS = ['', '.js', '.mjs', '.cjs', '.json', '.py', '.sh', '/index.js', '/__init__.py'];

/** Files of a folder that an output names as missing: by their whole path, or as a program of Node or Python does. */
function missedIn(output: string, folder: string): string[] {
  const whole = [...output.matchAll(/(\/[^\s"'`:;,()<>]+)/g)].map(([, path = '']) => path);
  const modules = [...output.matchAll(/(?:Cannot find module|No module named) '([\w./@-]+)'/g)].map(([, name = '']) => join(folder, name));
  return [...whole, ...modules]
    .filter((path) => isBelow(path, folder) && path !== folder)
    .flatMap((path) => ENDINGS.map((ending) => path + ending).find((one) => existsSync(one)) ?? []);
}
