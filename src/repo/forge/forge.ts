/** The three kinds of forges that furrow speaks to. Codeberg and Forgejo are `gitea`. */
export const FORGES = ['github', 'gitlab', 'gitea'] as const;
export type ForgeKind = (typeof FORGES)[number];

/** A repository on a forge: its address and that of the forge's interface. */
export interface ForgePlace {
  readonly kind: ForgeKind;
  /** The host with its port, as people and tools name the forge. */
  readonly host: string;
  /** Without a slash at its end. */
  readonly api: string;
  /** `owner/name`; on GitLab with any groups above. */
  readonly project: string;
}

export interface Issue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  /** The address for people. */
  readonly url: string;
  readonly author: string;
  readonly labels: readonly string[];
  readonly state: 'open' | 'closed';
}

/** The person that a token belongs to; `rights` are those that the forge names, if it does. */
interface ForgeUser {
  readonly name: string;
  readonly rights: readonly string[] | null;
}

/** The questions that furrow has for a forge. */
export interface Forge {
  readonly place: ForgePlace;
  whoAmI(): Promise<ForgeUser>;
  issue(number: number): Promise<Issue>;
  /** The open issues with a label, the oldest first. */
  issues(label: string): Promise<Issue[]>;
}
