import { DRIVERS } from './agent-schema.ts';

type Driver = (typeof DRIVERS)[number];

/** Kinds that are there without being configured; `command` is none, for it needs a `run`. */
export const KINDS = DRIVERS.filter((driver) => driver !== 'command');

export function driverOf(kind: string): Driver {
  return KINDS.find((driver) => driver === kind) ?? 'command';
}
