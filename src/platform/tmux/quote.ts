/**
 * Quoting for a line that tmux parses itself (control mode). Inside double quotes tmux expands `$NAME`, a leading `~` and backslash
 * escapes. So every character that is not plainly harmless becomes an octal escape, which tmux turns into that byte and does not parse
 * again. UTF-8 stays as it is.
 */
const SPECIAL = /[^A-Za-z0-9 _./:=@+,\u0080-\u{10ffff}-]/gu;

/** Linux refuses a longer argument at exec; tmux would only report a pane that ended with status 1. */
const MAX_WORD = 128 * 1024 - 1;

export function quote(word: string): string {
  if (word.includes('\0') || !word.isWellFormed()) throw new Error('a word for tmux holds NUL or half a character');
  if (Buffer.byteLength(word) > MAX_WORD) throw new Error(`a word for tmux is longer than ${MAX_WORD} bytes`);
  return `"${word.replace(SPECIAL, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`;
}

/** One command line: our own words are plain and stay readable in a log; the rest is quoted. */
export function command(...words: readonly string[]): string {
  return words.map((word) => (/^-?[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/.test(word) ? word : quote(word))).join(' ');
}

/**
 * In front of a pane's command. tmux would hand a single word to a shell; two or more it execs as they are, without expanding anything
 * (`#{…}`, `#(…)`, `;` all arrive). `env` hides this server from the pane: `tmux kill-server` in somebody's test suite would otherwise end
 * every agent. It execs, so the pid is the program's.
 */
const PREFIX = ['env', '-u', 'TMUX', '-u', 'TMUX_PANE'] as const;

export function paneArgv(argv: readonly string[]): string {
  const program = argv[0];
  if (!program || program.startsWith('-') || program.includes('=')) throw new Error(`not a program for a pane: ${JSON.stringify(program)}`);
  return ['--', ...PREFIX, ...argv].map(quote).join(' ');
}

/** The command of a pane as tmux shows it, without our prefix. */
export function withoutPrefix(startCommand: string): string {
  const prefix = `${PREFIX.join(' ')} `;
  return startCommand.startsWith(prefix) ? startCommand.slice(prefix.length) : startCommand;
}
