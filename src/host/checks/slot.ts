import { join } from 'node:path';
import { slotMarker } from '../../farm/farm.ts';
import { jailPrefix } from '../../platform/process/jail.ts';
import type { Host } from '../host.ts';

/** Agents come first when the processor is short: a check may take longer, a person watching an agent should not notice. */
const NICE = ['nice', '-n', '10'];

/** A slot of the farm, by name, with the jail of its checks. */
export function slotOf(farm: Host, name: string) {
  const marker = slotMarker(farm, name);
  return { path: join(farm.places.slots, name), marker, jail: [...jailPrefix(farm.killMethod, marker), ...NICE] };
}
