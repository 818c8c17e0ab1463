import type { Manager, PackageJson } from './node-manager.ts';
import type { Remark, Step } from './proposal.ts';

interface Steps {
  readonly setup: Step[];
  readonly check: Step | undefined;
}

const ELSE = ['preinstall', 'install', 'postinstall', 'prepublish'];
/** They put hooks into git and build nothing. */
const HOOKS = /^\s*(husky|simple-git-hooks|lefthook)\b[^&|;]*$/;

/**
 * An install also runs the project's own `prepare`. One that builds reads the sources, so set-up would run again for every tree: packages are installed
 * once for a lockfile, and the build is part of the check, where npm can do so without the project's other scripts.
 */
export function buildApart(json: PackageJson, { name, call }: Manager, { setup, check }: Steps): Steps & { remarks: Remark[] } {
  const prepare = json.scripts?.['prepare'];
  if (prepare === undefined || HOOKS.test(prepare) || setup.length === 0) return { setup, check, remarks: [] };
  const others = ELSE.some((script) => json.scripts?.[script] !== undefined);
  if (name !== 'npm' || others || check === undefined) {
    const text = `prepare (${prepare}) runs with each install, so set-up runs again for every tree`;
    return { setup, check, remarks: [{ text, next: 'name the files that decide it in worktree.setup_files of furrow.yaml' }] };
  }
  const [install, ...more] = setup as [Step, ...Step[]];
  const because = `${install.because}; without prepare, which builds: once for a lockfile`;
  const built = json.scripts?.['pretest'] === undefined ? `${call} run prepare && ` : '';
  const [exported = '', line] = /^(export CI=1; )?(.*)$/s.exec(check.run)!.slice(1);
  return {
    // The second step runs what packages need to be built, such as native parts.
    setup: [{ run: `${install.run} --ignore-scripts`, because }, { run: `${call} rebuild`, because: 'the scripts of packages' }, ...more],
    check: built === '' ? check : { run: `${exported}${built}${line}`, because: `${check.because}, after prepare, which builds` },
    remarks: [],
  };
}
