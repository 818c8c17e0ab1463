import type { Client, ConnectOptions } from '../../api/client.ts';
import type { CallName, In, Out } from '../../api/contract.ts';
import type { Place } from '../../api/place.ts';

/** Kinds of names that the farm or git can list. `current-task`: not archived; `work`: such a task, or a branch in the queue. */
export type Ask =
  | 'task'
  | 'current-task'
  | 'work'
  | 'work-or-agent'
  | 'output'
  | 'place'
  | 'agent'
  | 'phase'
  | 'question'
  | 'branch'
  | 'kind';

/** The source of Tab completions: a question to the farm, or a fixed list. */
export type Completes = Ask | readonly string[];

export interface Argument {
  /** In capitals, as it is shown in the usage line. */
  readonly name: string;
  readonly says: string;
  readonly optional?: true;
  /** Takes all the words that are left; they are joined with spaces. */
  readonly many?: true;
  readonly completes?: Completes;
}

export interface Option {
  readonly name: string;
  readonly short?: string;
  readonly type: 'flag' | 'text' | 'number' | 'list';
  /** The placeholder of its value, in capitals; flags have none. */
  readonly value?: string;
  readonly says: string;
  readonly required?: true;
  readonly oneOf?: readonly string[];
  /** Of a number: the least and the most that it may be. */
  readonly range?: readonly [number, number];
  readonly completes?: Completes;
}

/** Of every command that sets something of the repository going. */
export const TRUST_OPTION: Option = {
  name: 'trust',
  type: 'flag',
  says: 'trusts what the repository runs, as it is now, and asks nothing',
};

export type Group = 'start' | 'board' | 'see' | 'steer' | 'queue' | 'agents' | 'upkeep';

/** One command as data: parsing, help, completion and the reference are all read from this. */
export interface Command {
  /** Two words for a sub-command: `queue eject`. */
  readonly name: string;
  readonly group: Group;
  readonly summary: string;
  readonly details?: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  readonly examples?: readonly string[];
  /** The command that it belongs to: help lists it there. */
  readonly partOf?: string;
  /** Left out of the help, the completion and the reference. */
  readonly hidden?: true;
  /** May start a farm. Other commands report that there is no farm, because a look must not start a daemon or write. */
  readonly begins?: true;
  /** Prints no state, so it takes no `--json`. */
  readonly json?: false;
  /** Loads the command's file only when it is called. */
  readonly run: () => Promise<Run>;
}

/** The arguments and options of a command line, read by the command's description. Asking for a name it does not have is a bug and throws. */
export interface Arguments {
  /** An argument of many words comes joined with spaces; `list` gives them one by one. */
  text(name: string): string | undefined;
  /** A required argument or option. */
  need(name: string): string;
  flag(name: string): boolean;
  number(name: string): number | undefined;
  list(name: string): string[] | undefined;
}

/** Answers the exit code; nothing means 0. */
type Run = (context: Context) => Promise<number> | Promise<void>;

export interface Context {
  readonly args: Arguments;
  readonly json: boolean;
  /** All commands, for those that explain the others. */
  readonly commands: readonly Command[];
  place(): Place;
  /** True when this repository has, or had, a farm. */
  hasFarm(): Promise<boolean>;
  /** The farm of the repository, started if need be, and closed when the command ends. Throws when there is no farm and the command may not start one. */
  farm(options?: Partial<ConnectOptions>): Promise<Client>;
  /** Asks the farm. Under `--json` the answer is the document; what comes back is fit to be printed. */
  ask<N extends CallName>(name: N, args: In<N>): Promise<Out<N>>;
  /** Text for people, a line each, on stdout. Left out under `--json`. */
  print(...lines: string[]): void;
  /** Takes what people would read, instead of the terminal: a command that another one shows. */
  readonly out?: (text: string) => void;
  /** The one document that `--json` promises. Left out otherwise. */
  document(value: unknown): void;
}
