import type { Forge, ForgeKind, ForgePlace } from './forge.ts';
import { gitea } from './gitea.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';

const KINDS: Readonly<Record<ForgeKind, (place: ForgePlace, token: string | undefined) => Forge>> = { github, gitlab, gitea };

/** The forge at a place, asked as the owner of the token; without one, as anybody. */
export const openForge = (place: ForgePlace, token: string | undefined): Forge => KINDS[place.kind](place, token);
