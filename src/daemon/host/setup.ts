import { basename, join } from 'node:path';
import { passedEnvironment } from '../../agents/agent/environment.ts';
import type { NewEvent } from '../../journal/event.ts';
import type { Repo } from '../../platform/git/run.ts';
import { discard, trashNear } from '../../platform/git/trash.ts';
import type { Places } from '../../platform/places.ts';
import { type SetupEvent, type Setups, setups } from '../../repo/setup/setups.ts';
import { type Found, listTemplates, retired } from '../../repo/setup/template.ts';
import { setupCommands, trustedConfig } from '../farm/trust/trusted-config.ts';
import { slotOf } from './checks/slot.ts';
import type { CheckHost } from './host.ts';

/** The one place of a farm that makes templates. */
export function setupsOf(repo: Repo, { templates }: Places, farm: () => CheckHost): Setups {
  return setups({
    repo,
    templates,
    plan: () => {
      const { setup_files: files, copy } = trustedConfig(farm()).worktree;
      return { commands: setupCommands(farm()).shared, files, copy };
    },
    env: () => passedEnvironment(process.env),
    slot: (name) => slotOf(farm(), name),
    log: (name) => setupLog(farm(), name),
    tell: (event) => tell(farm(), wordsFor(event)),
  });
}

export const setupLog = (farm: CheckHost, name: string) => join(farm.places.logs, 'setup', `${name}-${farm.clock.now()}.log`);

function wordsFor(event: SetupEvent): NewEvent {
  switch (event.kind) {
    case 'setup.started': {
      const { kind, commands, key, log, tree } = event;
      return { kind, text: `set-up of ${tree.slice(0, 8)} begins: ${commands.join('; ')}. Output: ${log}`, data: { key, log, tree } };
    }
    case 'setup.built': {
      const { template, log, kind } = event;
      const made = template.paths.length > 0 ? `made ${named(template.paths)}` : 'made no files';
      const text = [`set-up ${made} in ${template.seconds.toFixed(1)} s`, ...template.notes].join('; ');
      return { kind, text, data: { key: template.key, seconds: template.seconds, paths: template.paths, log } };
    }
    case 'setup.failed':
      return { kind: event.kind, text: event.error.message, data: { key: event.key } };
    default:
      return event satisfies never;
  }
}

/** Puts templates that have had their time into the trash. */
export async function retireTemplates(farm: CheckHost): Promise<void> {
  const { templates } = farm.places;
  const old = retired(await listTemplates(templates), farm.clock.now(), farm.setups.inUse());
  for (const { folder } of old) await discard(folder, await trashNear(farm.repo, folder), `template-${basename(folder)}`);
}

/** Tells that a worktree or slot got its copy. */
export function tellCloned(
  farm: CheckHost,
  template: Found,
  to: { agent?: string; slot?: string; person?: string },
  ms: number,
): Promise<void> {
  const seconds = ms / 1000;
  const whose = to.agent ?? to.person;
  const where = whose ? `the worktree of ${whose}` : `check slot ${to.slot}`;
  const text = `${where} got ${named(template.paths)} from the template in ${seconds.toFixed(1)} s`;
  return tell(farm, { kind: 'setup.cloned', agent: to.agent ?? null, text, data: { key: template.key, seconds, ...to } });
}

const named = (paths: readonly string[]) => `${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ` and ${paths.length - 3} more` : ''}`;

async function tell(farm: CheckHost, event: NewEvent): Promise<void> {
  await farm.report({ events: [event] });
}
