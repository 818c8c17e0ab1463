import { post } from '../../platform/http-post.ts';
import { payloadOf } from '../../tell/notice/payload.ts';
import type { NoticeArgs } from '../acts/notice/arguments.ts';
import type { Host } from './host.ts';

/** Posts a message to the webhook in force. `false`: the webhook was taken out of furrow.yaml meanwhile, and nobody wants it there any more. */
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
