import type { HostHalf } from '../../farm/acts/acts.ts';
import { payloadOf } from '../../notice/payload.ts';
import { post } from '../../platform/post.ts';
import type { Host } from '../host.ts';
import { noteSent, wasSent } from '../notice-sent.ts';

/** Posts a message to the webhook in force. Sent twice, it has the same key: that is as much as a receiver can be told. */
export function noticePost(farm: Host, signal: AbortSignal): HostHalf<'notice.post'> {
  return {
    probe: async ({ channel, key }) => ((await wasSent(farm.places, channel, key)) ? { to: 'webhook' } : undefined),
    async run(args) {
      const { webhook } = farm.config.notify;
      // Taken out of furrow.yaml meanwhile: nobody wants it there any more.
      if (!webhook) return { to: 'no webhook' };
      const { headers, body } = payloadOf(webhook.shape, args);
      await post(webhook.url, { headers: { ...headers, 'user-agent': `furrow/${farm.version}` }, body, signal });
      await noteSent(farm.places, args.channel, args.key);
      return { to: 'webhook' };
    },
  };
}
