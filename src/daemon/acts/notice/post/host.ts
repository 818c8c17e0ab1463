import type { Host } from '../../../host/host.ts';
import { noteSent, wasSent } from '../../../host/notice-sent.ts';
import { postNotice } from '../../../host/post-notice.ts';
import type { HostHalf } from '../../table.ts';

/** Posts a message to the webhook in force. Sent twice, it has the same key: that is as much as a receiver can be told. */
export function noticePost(farm: Host, ending: () => AbortSignal): HostHalf<'notice.post'> {
  return {
    probe: async ({ channel, key }) => ((await wasSent(farm.places, channel, key)) ? { to: 'webhook' } : undefined),
    async run(args) {
      if (!(await postNotice(farm, args, ending()))) return { to: 'no webhook' };
      await noteSent(farm.places, args.channel, args.key);
      return { to: 'webhook' };
    },
  };
}
