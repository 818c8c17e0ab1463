/** A piece of a line. A link leads to an address that a browser may open at a press; any other is plain text. */
export type Inline =
  | { readonly is: 'text' | 'code' | 'strong' | 'em'; readonly text: string }
  | { readonly is: 'link'; readonly text: string; readonly to: string };

export type Block =
  | { readonly is: 'heading'; readonly level: number; readonly line: readonly Inline[] }
  | { readonly is: 'paragraph' | 'quote'; readonly line: readonly Inline[] }
  | { readonly is: 'code'; readonly info: string; readonly text: string }
  | { readonly is: 'rule' }
  | { readonly is: 'list'; readonly ordered: boolean; readonly items: readonly Item[] };

interface Item {
  /** True when its checkbox is ticked; undefined: it has none. */
  readonly done: boolean | undefined;
  readonly depth: number;
  readonly line: readonly Inline[];
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(\s*\1){2,}\s*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;

/**
 * The text of a task, as blocks: headings, lists, code, quotes and paragraphs. Markup of HTML is text like any other, because nothing here knows
 * it; what is not understood stays as it was written.
 */
export function parseMarkdown(text: string): Block[] {
  const lines = text.split(/\r?\n/);
  const blocks: Block[] = [];
  let at = 0;
  const taken = (matches: (line: string) => boolean) => {
    const from = at;
    while (at < lines.length && matches(lines[at]!)) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at]!;
    const [[, fence, info = ''], heading] = [FENCE.exec(line) ?? [], HEADING.exec(line)];
    if (line.trim() === '') at++;
    else if (fence !== undefined) {
      at++;
      const inside = taken((one) => !(one.trim().startsWith(fence) && /^[`~]+$/.test(one.trim())));
      blocks.push({ is: 'code', info: info.trim(), text: inside.join('\n') });
      at++;
    } else if (heading) {
      at++;
      blocks.push({ is: 'heading', level: heading[1]!.length, line: parseInline(heading[2]!) });
    } else if (RULE.test(line)) {
      at++;
      blocks.push({ is: 'rule' });
    } else if (ITEM.test(line)) {
      blocks.push(listOf(taken((one) => ITEM.test(one) || /^\s{2,}\S/.test(one))));
    } else if (QUOTE.test(line)) {
      blocks.push({
        is: 'quote',
        line: parseInline(
          taken((one) => QUOTE.test(one))
            .map((one) => QUOTE.exec(one)![1]!)
            .join('\n'),
        ),
      });
    } else {
      const plain = (one: string) => one.trim() !== '' && !FENCE.test(one) && !HEADING.test(one) && !ITEM.test(one) && !QUOTE.test(one);
      blocks.push({ is: 'paragraph', line: parseInline(taken(plain).join('\n')) });
    }
  }
  return blocks;
}

function listOf(lines: readonly string[]): Block {
  const items: { done: boolean | undefined; depth: number; text: string }[] = [];
  for (const line of lines) {
    const [, indent = '', , box, text = ''] = ITEM.exec(line) ?? [];
    const last = items.at(-1);
    if (!ITEM.test(line) && last) last.text += `\n${line.trim()}`;
    else
      items.push({
        done: box === undefined ? undefined : box !== ' ',
        depth: Math.min(4, Math.floor(indent.replaceAll('\t', '  ').length / 2)),
        text,
      });
  }
  return {
    is: 'list',
    ordered: /^\s*\d/.test(lines[0]!),
    items: items.map(({ done, depth, text }) => ({ done, depth, line: parseInline(text) })),
  };
}

const PIECES =
  /(`+)(.+?)\1(?!`)|\*\*(\S(?:.*?\S)?)\*\*|(?<![\w*])\*(\S(?:.*?\S)?)\*(?![\w*])|!?\[([^\]]*)\]\(<?([^\s)>]*)>?(?:\s+"[^"]*")?\)|<?(https?:\/\/[^\s<>")\]]+[^\s<>")\].,;:!?'])>?/gs;

export function parseInline(text: string): Inline[] {
  const found: Inline[] = [];
  let at = 0;
  for (const match of text.matchAll(PIECES)) {
    const [whole, , code, strong, em, label, to, bare] = match;
    if (match.index > at) found.push({ is: 'text', text: text.slice(at, match.index) });
    at = match.index + whole.length;
    if (code !== undefined) found.push({ is: 'code', text: code });
    else if (strong !== undefined) found.push({ is: 'strong', text: strong });
    else if (em !== undefined) found.push({ is: 'em', text: em });
    else if (bare !== undefined) found.push({ is: 'link', text: bare, to: bare });
    else if (to !== undefined && isOpened(to)) found.push({ is: 'link', text: label || to, to });
    else found.push({ is: 'text', text: whole });
  }
  if (at < text.length) found.push({ is: 'text', text: text.slice(at) });
  return found;
}

/** Addresses of the web and of mail; a script, a file or a part of this page is none. */
function isOpened(to: string): boolean {
  return URL.canParse(to) && ['https:', 'http:', 'mailto:'].includes(new URL(to).protocol);
}
