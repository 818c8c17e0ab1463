import { passedEnvironment } from '../../agents/agent/environment.ts';
import { toolsOf, versionsOf } from '../../repo/setup/tools.ts';

/**
 * The class of this machine, in words: platform and versions of what nearly every check uses. Machines of unlike classes may answer a check
 * differently, so a red of one that is unlike the farm's own is asked again there.
 */
export async function machineClass(folder: string): Promise<string> {
  const versions = await versionsOf([...toolsOf(['node']), 'git'], passedEnvironment(process.env), folder);
  return [`${process.platform} ${process.arch}`, ...versions].join(', ');
}
