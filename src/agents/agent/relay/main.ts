import { ask } from './ask.ts';

/**
 * `relay URL EVENT [SECONDS]`: hands its standard input to the daemon as the payload of a hook and prints the reply. For
 * agents whose hooks can only be commands. Whatever goes wrong it ends with 0 and prints nothing: a daemon that is away
 * must not stop an agent. Given some seconds it first waits for a daemon that long: what a person has to answer outlives
 * the daemon that asked it.
 */
async function main(): Promise<void> {
  const [url = '', event = '', seconds = '0'] = process.argv.slice(2);
  /** The process that started it; once that is gone, nobody wants the reply. */
  const parent = process.ppid;
  const payload: Buffer[] = [];
  for await (const chunk of process.stdin) payload.push(chunk as Buffer);
  const reply = await ask({
    url: `${url}/${event}`,
    token: process.env['FURROW_TOKEN'] ?? '',
    payload: Buffer.concat(payload),
    patienceMs: Number(seconds) * 1000,
    wanted: () => process.ppid === parent,
  });
  if (reply) process.stdout.write(reply);
}

void main();
