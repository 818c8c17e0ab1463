import { post } from '../../../platform/post.ts';
import { payloadOf } from '../../../tell/notice/payload.ts';
import type { HostHalf } from '../../farm/acts/acts.ts';
import type { NoticeArgs } from '../../farm/acts/notice.ts';
import type { Host } from '../host.ts';
import { noteSent, wasSent } from '../notice-sent.ts';

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

/** `false`: the webhook was taken out of furrow.yaml meanwhile, and nobody wants it there any more. */
export async function postNotice(
  { config, version }: Pick<Host, 'config' | 'version'>,
  args: NoticeArgs,
  signal: AbortSignal,
): Promise<boolean> {
  const { webhook } = config.notify;
  if (!webhook) return false;
  const { headers, body } = payloadOf(webhook.shape, args);
  await post(webhook.url, { headers: { ...headers, 'user-agent': `furrow/${version}` }, body, signal });
  return true;
}
