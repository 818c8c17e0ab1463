import { request } from 'node:http';

/**
 * `relay URL EVENT`: hands its standard input to the daemon as the payload of a hook and prints the reply. For agents
 * whose hooks can only be commands. Whatever goes wrong it ends with 0 and prints nothing: a daemon that is away must
 * not stop an agent.
 */
const [url = '', event = ''] = process.argv.slice(2);
const sent = request(`${url}/${event}`, { method: 'POST', headers: { 'x-furrow': process.env['FURROW_TOKEN'] ?? '' } }, (reply) => {
  if (reply.statusCode === 200) reply.pipe(process.stdout);
  else reply.resume();
});
sent.on('error', () => {});
process.stdin.pipe(sent);
