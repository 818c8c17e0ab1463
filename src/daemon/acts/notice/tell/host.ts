import type { Host } from '../../../host/host.ts';
import { noteSent, wasSent } from '../../../host/notice-sent.ts';
import { tellHere } from '../../../host/tell-here.ts';
import type { HostHalf } from '../../table.ts';

/** Rings in the terminals that show the farm, or on the desktop. */
export function noticeTell(farm: Host): HostHalf<'notice.tell'> {
  return {
    probe: async ({ channel, key }) => ((await wasSent(farm.places, channel, key)) ? { to: channel } : undefined),
    async run(args) {
      await tellHere(farm, args);
      await noteSent(farm.places, args.channel, args.key);
      return { to: args.channel };
    },
  };
}
