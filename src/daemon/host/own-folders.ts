import { dirname } from 'node:path';
import { socketPath } from '../../api/place.ts';
import { userFolder } from '../../platform/user-folder.ts';
import type { Host } from './host.ts';

/** Folders of furrow's that nobody inside a fence sees: the checkout with its store and logs, all worktrees and slots, sockets, consents. */
export const ownFolders = ({ repo, places }: Host) => [repo.root, places.home, dirname(socketPath(repo.root)), userFolder()];
