import type { Host } from '../../../host/host.ts';
import { noteSent, wasSent } from '../../../host/notice-sent.ts';
import { showNotice } from '../../../host/show-notice.ts';
import type { HostHalf } from '../../table.ts';

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
