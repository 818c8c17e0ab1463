/** A word of a command line. `text` is undefined when only the shell knows its value. */
export interface ShellWord {
  readonly raw: string;
  readonly text: string | undefined;
}

/** One program with its words, as a shell would start it. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  /** The files that it gets as input, and texts in the line itself. */
  readonly reads: readonly ShellWord[];
  readonly texts: readonly string[];
  /** Its input is the output of the command before. */
  readonly piped: boolean;
}

const APART = /^(?:\|\||&&|;;|\|&|[;&|\n()])/;
const REDIRECTION = /^(?:\d*|&)(?:<<<|<<-?|<>|<&|>>|>\||>&|<|>)/;
const PLAIN = /^[^\s'"`\\$;&|()<>#*?[\]{}~!]+/;
/** Words that a shell expands. */
const EXPANDED = /^(?:\$[\w@*#?$!-]+|\$\{[^}]*\}|[*?]|\[[^\]\s]*\]|\{[^}\s]*,[^}\s]*\}|\{[^}\s]*\.\.[^}\s]*\})/;

/** The commands of a line, also those inside substitutions. `odd` is the part that could not be read: a quote that does not end. */
interface ShellLine {
  readonly commands: readonly ShellCommand[];
  readonly odd: boolean;
}

/**
 * Reads a command line as far as possible without running it. Nothing is left out: a part that is not understood is a word without a text.
 */
export function readShell(line: string): ShellLine {
  return new Reader(line).all();
}

class Reader {
  #rest: string;
  #commands: ShellCommand[] = [];
  #odd = false;
  #words: ShellWord[] = [];
  #reads: ShellWord[] = [];
  #texts: string[] = [];
  #piped = false;

  constructor(line: string) {
    this.#rest = line.replace(/\\\n/g, '');
  }

  all(): ShellLine {
    while (this.#rest !== '') this.#step();
    this.#end('');
    return { commands: this.#commands, odd: this.#odd };
  }

  #step(): void {
    if (this.#take(/^[^\S\n]+/) !== undefined || this.#take(/^#[^\n]*/) !== undefined) return;
    const process = this.#take(/^[<>]\(/);
    if (process !== undefined) {
      this.#words.push({ raw: `${process}…)`, text: undefined });
      this.#nested(')');
      return;
    }
    const redirection = this.#take(REDIRECTION);
    const apart = redirection === undefined ? this.#take(APART) : undefined;
    if (redirection !== undefined) this.#redirect(redirection.replace(/^(\d*|&)/, ''));
    else if (apart !== undefined) this.#end(apart);
    else this.#push(this.#word());
  }

  #push(word: ShellWord): void {
    if (word.raw !== '') this.#words.push(word);
    else this.#rest = this.#rest.slice(1);
  }

  #end(by: string): void {
    if (this.#words.length + this.#reads.length + this.#texts.length > 0)
      this.#commands.push({ words: this.#words, reads: this.#reads, texts: this.#texts, piped: this.#piped });
    [this.#words, this.#reads, this.#texts, this.#piped] = [[], [], [], by.startsWith('|') && by !== '||'];
  }

  #redirect(by: string): void {
    this.#take(/^[ \t]+/);
    const target = this.#word();
    if (by === '<<<') this.#texts.push(target.text ?? '$');
    else if (by.startsWith('<<')) this.#texts.push(this.#document(target.text ?? target.raw, by === '<<-'));
    else if (by === '<' || by === '<>') this.#reads.push(target);
  }

  /** The lines of a here-document, which begin after this one. */
  #document(end: string, indented: boolean): string {
    const lines = this.#rest.split('\n');
    const at = lines.findIndex((line, n) => n > 0 && (indented ? line.replace(/^\t+/, '') : line) === end);
    if (at < 0) this.#odd = true;
    const last = at < 0 ? lines.length : at;
    this.#rest = [lines[0] ?? '', ...lines.slice(last + 1)].join('\n');
    return lines.slice(1, last).join('\n');
  }

  #word(): ShellWord {
    let [raw, text]: [string, string | undefined] = ['', ''];
    const add = (taken: string, meant: string | undefined) => {
      raw += taken;
      text = text === undefined || meant === undefined ? undefined : text + meant;
    };
    for (;;) {
      const start = this.#rest;
      if (raw === '' && this.#take(/^~(?=\/|\s|$)/) !== undefined) add('~', undefined);
      const plain = this.#take(PLAIN);
      if (plain !== undefined) add(plain, plain);
      const single = this.#take(/^\$?'(?:[^']*)'/);
      if (single !== undefined) add(single, single.startsWith('$') && single.includes('\\') ? undefined : single.replace(/^\$?'|'$/g, ''));
      const escaped = this.#take(/^\\[\s\S]/);
      if (escaped !== undefined) add(escaped, escaped.slice(1));
      if (this.#take(/^\$?"/) !== undefined) {
        add('"', '');
        this.#double(add);
      }
      if (this.#take(/^\$\(/) !== undefined) {
        add('$(…)', undefined);
        this.#nested(')');
      }
      if (this.#take(/^`/) !== undefined) {
        add('`…`', undefined);
        this.#nested('`');
      }
      const expanded = this.#take(EXPANDED);
      if (expanded !== undefined) add(expanded, undefined);
      if (this.#rest !== start) continue;
      // A sign without a meaning here stands for itself.
      const sign = raw === '' || !/^[\s;&|()<>]/.test(this.#rest) ? this.#take(/^[^\s;&|()<>]/) : undefined;
      if (sign === undefined) break;
      if (sign === '"' || sign === "'" || sign === '`') this.#odd = true;
      add(sign, sign === '$' ? undefined : sign);
    }
    return { raw, text };
  }

  #double(add: (taken: string, meant: string | undefined) => void): void {
    for (;;) {
      if (this.#take(/^"/) !== undefined) {
        add('"', '');
        return;
      }
      const plain = this.#take(/^[^"\\$`]+/);
      const escaped = plain === undefined ? this.#take(/^\\[\s\S]/) : undefined;
      if (plain !== undefined) add(plain, plain);
      else if (escaped !== undefined) add(escaped, /^\\["\\$`]/.test(escaped) ? escaped.slice(1) : escaped);
      else if (this.#take(/^\$\(/) !== undefined) {
        add('$(…)', undefined);
        this.#nested(')');
      } else if (this.#take(/^`/) !== undefined) {
        add('`…`', undefined);
        this.#nested('`');
      } else {
        const sign = this.#take(/^\$(?:\{[^}]*\}|[\w@*#?$!-]+)?/);
        if (sign === undefined) {
          this.#odd = true;
          return;
        }
        add(sign, sign === '$' ? '$' : undefined);
      }
    }
  }

  /** The commands of a substitution, up to its end. */
  #nested(end: string): void {
    let [depth, at] = [1, 0];
    for (; at < this.#rest.length && depth > 0; at++) {
      const letter = this.#rest[at];
      if (letter === '\\') at++;
      else if (letter === "'" && end === ')') at = Math.max(at, this.#rest.indexOf("'", at + 1));
      else if (letter === end) depth--;
      else if (letter === '(' && end === ')') depth++;
    }
    if (depth > 0) this.#odd = true;
    const inner = readShell(this.#rest.slice(0, depth > 0 ? at : at - 1));
    this.#rest = this.#rest.slice(at);
    this.#commands.push(...inner.commands);
    this.#odd ||= inner.odd;
  }

  #take(shape: RegExp): string | undefined {
    const [found] = shape.exec(this.#rest) ?? [];
    if (found === undefined || found === '') return undefined;
    this.#rest = this.#rest.slice(found.length);
    return found;
  }
}
