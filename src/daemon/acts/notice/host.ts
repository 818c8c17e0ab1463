import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../../../platform/files.ts';
import type { Places } from '../../../platform/places.ts';
import { postNotice, showNotice } from '../../host/deliver-notice.ts';
import type { Host } from '../../host/host.ts';
import type { HostHalf } from '../table.ts';

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

/** Rings in the terminals that show the farm, or on the desktop. */
export function noticeTell(farm: Host): HostHalf<'notice.tell'> {
  return {
    probe: async ({ channel, key }) => ((await wasSent(farm.places, channel, key)) ? { to: channel } : undefined),
    async run(args) {
      await showNotice(farm, args);
      await noteSent(farm.places, args.channel, args.key);
      return { to: args.channel };
    },
  };
}

/** The key of the last message that went out by a channel: what a daemon that was killed after sending it leaves to be found. */
const fileOf = (places: Places, channel: string) => join(places.run, `notice-${channel}`);

const wasSent = async (places: Places, channel: string, key: string): Promise<boolean> =>
  (await readFile(fileOf(places, channel), 'utf8').catch(() => '')) === key;

const noteSent = (places: Places, channel: string, key: string): Promise<void> => writeWhole(fileOf(places, channel), key);
