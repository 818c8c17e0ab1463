import { z } from 'zod';
import { field, yesNo } from './fields.ts';
import { parseQuiet } from './quiet-hours.ts';

/** A post to the internet is encrypted; without that it stays on this machine. */
const webhookUrl = z.url({ protocol: /^https?$/ }).refine((text) => {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
});

const webhook = z.strictObject({
  url: field(webhookUrl, 'a https address, or a http one of this machine', 'The address to which it is posted.'),
  shape: field(
    z.enum(['generic', 'slack', 'ntfy']).default('generic'),
    'one of generic, slack, ntfy',
    '`generic`: a JSON document with all of it. Addresses of Slack and ntfy.sh have their own shape by default.',
  ),
});

/** An address alone, and the shape that its host wants. */
function shortWebhook(value: unknown): unknown {
  if (value === null || value === undefined || (typeof value === 'string' && !webhookUrl.safeParse(value).success)) return value;
  const map = typeof value === 'string' ? { url: value } : (value as Record<string, unknown>);
  if (typeof map !== 'object' || map['shape'] !== undefined || typeof map['url'] !== 'string') return map;
  const shape = /^https:\/\/hooks\.slack\.com\//.test(map['url']) ? 'slack' : /^https:\/\/ntfy\.sh\//.test(map['url']) ? 'ntfy' : undefined;
  return shape === undefined ? map : { ...map, shape };
}

/** The ways in which a person hears of something that needs them. */
export const notify = z.strictObject({
  terminal: field(
    yesNo.default(true),
    'true or false',
    'Ring in the terminals that show the farm (`furrow attach`, `furrow work`) when something needs you, the queue halts or work finishes.',
  ),
  desktop: field(yesNo.default(false), 'true or false', 'Show a desktop notification, with `notify-send` or on macOS `osascript`.'),
  webhook: field(
    z.preprocess(shortWebhook, webhook.nullable()).default(null),
    'a https address, or a map with `url` and `shape`',
    'Post each message there, once. A http address must be on this machine.',
  ),
  quiet: field(
    z
      .string()
      .refine((text) => parseQuiet(text) !== undefined)
      .nullable()
      .default(null),
    'times of day such as 22:00-07:00',
    'Hours without notifications, by the clock of this machine. At their end one message lists what is still open.',
  ),
});
