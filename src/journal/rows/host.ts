/** A machine that joined the farm. */
export interface HostRow {
  name: string;
  /** Hash of its key. */
  key: string;
  standing: 'joined' | 'draining' | 'removed';
  /** JSON array. */
  labels: string;
  /** The most agents and checks that it takes at a time. */
  agents: number;
  checks: number;
  /** Its platform and the versions of what checks use, in words. */
  class: string;
  /** The version of its furrow. */
  version: string;
  joined: number;
}

/** An invitation to join. */
export interface InviteRow {
  /** Hash of its token. */
  token: string;
  made: number;
  until: number;
  /** The host that used it; null: nobody yet. */
  host: string | null;
}

/** Something that an agent on a machine that joined has said, and that was taken. */
export interface WordRow {
  host: string;
  /** One life of the process that carried it, and its number there. */
  life: string;
  seq: number;
  answer: string;
  at: number;
}
