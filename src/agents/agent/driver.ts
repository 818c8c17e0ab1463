import type { AgentEvent, Decision, Source } from './event.ts';

/** Settings of an agent kind, as far as drivers care. */
export interface DriverSettings {
  readonly driver: string;
  readonly run?: string | undefined;
  readonly args: readonly string[];
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  /** `headless`: no screen of its own; its connection or its exit is all there is. */
  readonly mode: 'window' | 'headless';
  /** `own`: a configuration folder for each agent, seeded from the user's; `user`: the user's own login and settings. */
  readonly config_home: 'user' | 'own';
  /** `fence`: the fence around it is enough, and it is started so that it asks for nothing. */
  readonly permission: 'observe' | 'suggest' | 'act' | 'fence';
}

/** The facts that a driver may use to start or continue one attempt. */
export interface LaunchRequest {
  readonly settings: DriverSettings;
  readonly agent: string;
  /** Private to this attempt (0700), there already, kept until the attempt has ended. */
  readonly folder: string;
  /** Private to this agent, kept between attempts: a configuration of its own, when it has one. */
  readonly home: string;
  readonly worktree: string;
  /** The main checkout: what a trust dialog is about. */
  readonly root: string;
  readonly promptFile: string;
  readonly prompt: string;
  /** A fresh UUID, or with `resume` the id of the conversation to go on with. */
  readonly session: string;
  readonly resume: boolean;
  readonly hook: HookAddress;
  /** furrow's own tools, by MCP over http; the client proves itself by `Authorization: Bearer $FURROW_TOKEN`. */
  readonly mcp: string;
  /** The environment the agent will have, before what the driver adds. */
  readonly env: Readonly<Record<string, string>>;
  /** True inside a fence that allows no nested one: the agent's own sandbox cannot start there. */
  readonly bare?: boolean;
  /** In a fence: the paths of the home that furrow.yaml shows there. */
  readonly fence?: { readonly read: readonly string[] };
  /** In a fence without a network: the socket by which the port that it listens at (`Launch.listens`) is called from outside. */
  readonly reach?: string;
}

/** The address at which an agent's hooks reach the daemon. The token is in no argument: it is in the variable `FURROW_TOKEN`. */
export interface HookAddress {
  /** `POST {url}/{event name}` with the header `x-furrow: $FURROW_TOKEN`; the answer's body is the hook's reply. */
  readonly url: string;
  /** For agents that only know commands: hands its standard input to the daemon and prints the reply. Then: event, seconds to wait for one. */
  readonly relay: readonly string[];
}

export interface Launch {
  /** A line for `sh`, started in the worktree. */
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  /** Written before the start, below `folder`, readable by nobody else. */
  readonly files: readonly { readonly name: string; readonly text: string; readonly mode?: number }[];
  /** The port of this machine at which the daemon calls it. */
  readonly listens?: number;
}

/** The context of a connection: what the daemon gives to it. It lives as long as the daemon and the attempt both do. */
export interface Link {
  readonly request: LaunchRequest;
  /** Just launched; otherwise the daemon came back to an agent that went on without it. */
  readonly fresh: boolean;
  /** The conversation's id, once it is known. */
  readonly session: string | undefined;
  /** The transcript's path, once it is known; changes with `ready`. */
  readonly transcript: string | undefined;
  /** Ends with the attempt, or with the daemon. */
  readonly signal: AbortSignal;
  heard(event: AgentEvent, source: Source): Promise<Decision>;
  /** For the daemon's log. */
  warn(text: string): void;
  /** For the people who watch the farm. */
  tell(text: string): Promise<void>;
}

export type Receipt = 'delivered' | 'not-delivered' | 'unknown';

/** The way to a running agent beside its terminal. */
export interface Connection {
  /**
   * Puts a text before the agent: a new turn when it is idle, joined to the running one when it works. `text` carries
   * the message's stamp. `unknown`: it may have arrived; `seen` can tell later. Absent where hooks and keys are the way.
   */
  deliver?(text: string): Promise<Receipt>;
  /** True when the conversation holds this stamp; undefined when that cannot be told. */
  seen(stamp: string): Promise<boolean | undefined>;
  /** Stops the running turn, as a person would. Absent where only a key does it. */
  interrupt?(): Promise<void>;
  /** Reads what the process left, after it has ended; resolves once all of it was reported. */
  drain?(): Promise<void>;
  /** Closes the connection; the agent works on. Safe to call twice. */
  close(): Promise<void>;
}

/** An agent's hooks: how they are read, and how an answer is worded for them. Pure. */
export interface HookDialect {
  read(name: string, payload: unknown): readonly AgentEvent[];
  /** The body of the reply to the hook, by the decision on the last event that `read` gave; undefined: empty. */
  reply(name: string, payload: unknown, decision: Decision): unknown;
}

/** Reads a terminal's screen, which is only the last resort. */
export interface ScreenReading {
  readonly state: 'idle' | 'working' | 'waiting' | 'limited' | 'unknown';
  /** `permission`, `question`, `trust`, `login`, `interrupted`, `auth`, `limit`, `retrying` … */
  readonly detail?: string;
  /** The text in the input line: '' when it is empty, undefined when no input line can be seen. */
  readonly draft: string | undefined;
}

/** The part of the user's home that an agent in a fence needs. Absolute paths, or below `~`; a folder that is to be made ends with a slash. */
export interface HomeNeeds {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  /** Folders that it finds at another path than outside. */
  readonly mounts?: readonly { readonly from: string; readonly to: string; readonly write: true }[];
}

/** The parts of a person's own configuration that their agents in a fence have, and those that they have not. */
export interface Brought {
  /** Shown read-only; at another path than outside where the agent's configuration is in a folder of its own. All of them exist. */
  readonly mounts: readonly { readonly from: string; readonly to: string }[];
  readonly there: readonly string[];
  /** With the reason. */
  readonly leftOut: readonly string[];
}

/**
 * One kind of coding agent.
 * - `launch` is the line that is started in the worktree, the task passed with it; it writes nothing by itself, except
 *   what a shared configuration file needs; for that, starts run one at a time.
 * - `commits` says who commits what the agent left uncommitted when it is done.
 * - `ends` says what the end of an attempt is: the exit of the process, or the end of a turn of a process that lives on.
 * - A crash, a non-zero exit or a signal is an outcome of the attempt, never an error of the driver.
 */
export interface Driver {
  readonly name: string;
  /** The program that must be on the PATH, and how to install it; absent: none. */
  readonly program?: { readonly name: string; readonly install: string };
  /** The company that limits and bills it: a limit of one agent holds for all of the same provider. Null: none. */
  readonly provider: string | null;
  /** The same where it depends on the command line of the kind. */
  providerOf?(kind: { readonly run?: string | undefined }): string;
  readonly commits: 'auto' | 'agent';
  /** The mode of an agent whose settings name none. */
  readonly mode: DriverSettings['mode'];
  ends(settings: DriverSettings): 'exit' | 'turn';
  /** True when it sends events in this mode, and its conversation can be resumed after its process died. */
  speaks(settings: DriverSettings): boolean;
  /** It can be told a model. */
  readonly takesModel?: true;
  /** The levels of effort that it can be told; true: any word. Absent: none. */
  readonly takesEffort?: true | readonly string[];
  /** Variables of the user's environment that hold its login or say where it is; they are passed on by default. */
  readonly passes?: readonly string[];
  /** The variable that names its configuration folder, with its login, and the folder below the home that it must not name. Absent: it has one account. */
  readonly accountIn?: { readonly variable: string; readonly usual?: string };
  /** Hosts of its provider, which it may call where only named hosts can be called. */
  readonly hosts?: readonly string[];
  /** Its configuration can be in a folder of its own; in a fence it always is. */
  readonly ownsHome?: true;
  /** Pure. Absent: nothing. */
  needs?(request: Pick<LaunchRequest, 'env' | 'folder' | 'settings'>): HomeNeeds;
  /** Looks at the person's own configuration, for an agent in a fence. Absent: nothing of it is known. */
  brings?(request: Pick<LaunchRequest, 'env' | 'home' | 'root' | 'fence'>): Promise<Brought>;
  launch(request: LaunchRequest): Promise<Launch>;
  /** The consent that the user must give once before the first start, or undefined. */
  consent?(request: Pick<LaunchRequest, 'root' | 'settings' | 'env'>): Promise<string | undefined>;
  /** Does what the user agreed to. Called before each start from then on. */
  agree?(request: Pick<LaunchRequest, 'root' | 'settings' | 'env'>): Promise<void>;
  /** It rewrites a file in the user's home as it starts: the next one is started when this one is up. */
  readonly sharesConfig?: true;
  readonly hooks?: HookDialect;
  /** Called after each start, and again when the daemon comes back. */
  connect?(link: Link): Promise<Connection>;
  /** Reads the pane's title; undefined when it says nothing. */
  title?(title: string): Pick<ScreenReading, 'state' | 'detail'> | undefined;
  screen?(text: string): ScreenReading;
}
