import { identify } from '../../../src/platform/process/identity.ts';
import { killTree } from '../../../src/platform/process/kill.ts';
import { sleeper } from './nasties.ts';

/** Carries the marker of the tree that it ends, and sits in it with a child of its own. Says who is left. */
using ours = sleeper('ours', { FURROW_RUN: 'other' });
const root = identify(process.ppid);
await killTree({ root, marker: process.env['FURROW_RUN'] ?? '' }, 0);
process.stdout.write(`root ${root && identify(root.pid) ? 'lives' : 'ended'}, child ${identify(ours.pid!) ? 'lives' : 'ended'}\n`);
