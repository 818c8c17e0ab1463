const OPEN = /\[\[(plan|steps):\s*/g;

/** The last directive of a text: `plan NAME`, or `steps [JSON]`. Clients that quote or escape a prompt are undone first. */
export function directiveIn(text: string): string | undefined {
  const found = within(plain(text));
  // One client hands a prompt on in quotes, with its own quotes behind backslashes.
  return found ?? (text.includes('\\"') ? within(plain(text.replaceAll('\\"', '"').replaceAll('\\\\', '\\'))) : undefined);
}

function within(text: string): string | undefined {
  const read = [...text.matchAll(OPEN)].map((match) => {
    const from = match.index + match[0].length;
    return match[1] === 'plan' ? planAt(text, from) : stepsAt(text, from);
  });
  return read.findLast((directive) => directive !== undefined);
}

function planAt(text: string, from: number): string | undefined {
  const end = text.indexOf(']]', from);
  return end < 0 ? undefined : `plan ${text.slice(from, end).trim()}`;
}

/** A list of JSON up to its own closing bracket: commands may have brackets of their own, in their strings. */
function stepsAt(text: string, from: number): string | undefined {
  let [depth, quoted] = [0, false];
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (quoted && char === '\\') at++;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && char === '[') depth++;
    else if (!quoted && char === ']' && --depth === 0) return valid(text.slice(from, at + 1));
  }
  return undefined;
}

function valid(json: string): string | undefined {
  try {
    return Array.isArray(JSON.parse(json)) ? `steps ${json}` : undefined;
  } catch {
    return undefined;
  }
}

/** What a hook says at the end of a turn reaches one model as XML. */
const plain = (text: string) =>
  text.replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&apos;', "'").replaceAll('&amp;', '&');
