import { createInterface } from 'node:readline';
import { holdLock } from '../../../src/platform/lock.ts';

/** Takes the lock FILE at the time AT for each line `FILE AT`; says who won, and keeps what it won without a reference. */
for await (const line of createInterface({ input: process.stdin })) {
  const [file = '', at] = line.split(' ');
  while (Date.now() < Number(at));
  const won = holdLock(file) !== undefined;
  globalThis.gc?.();
  process.stdout.write(won ? 'won\n' : 'lost\n');
}
