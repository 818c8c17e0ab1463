import type { Client } from '../../api/client.ts';
import type { Deed } from '../../tell/face/deed.ts';

/** Does what answers a question, and says what was done. */
export async function perform(farm: Client, deed: Deed): Promise<string> {
  switch (deed.call) {
    case 'answer':
      await farm.call('answer', deed.args);
      return `question ${deed.args.question} is answered: ${deed.args.text}`;
    case 'retry':
      return `${(await farm.call('retry', deed.args)).id} gets a new attempt`;
    case 'unblock':
      return `${(await farm.call('unblock', deed.args)).id} is ready again`;
    case 'approve':
      await farm.call('approve', deed.args);
      return `${deed.args.tasks?.join(', ')} may land`;
    case 'reject': {
      const { parked } = await farm.call('reject', deed.args);
      return `${deed.args.task} goes back${parked ? ' and is parked' : ''}`;
    }
    case 'release':
      await farm.call('release', deed.args);
      return `lease ${deed.args.id} is over`;
    case 'pauseQueue':
      await farm.call('pauseQueue', deed.args);
      return 'the queue runs again';
  }
}
