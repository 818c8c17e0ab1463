/** A screen of a terminal, as `tmux capture-pane -e` prints it: lines with colours. */
interface Style {
  readonly fill: string;
  readonly bold: boolean;
  readonly inverse: boolean;
  readonly behind: string | undefined;
}

const [CELL, LINE, EDGE] = [8.4, 18, 16];
const [TEXT, GROUND] = ['#c9d1d9', '#14181d'];
const COLOURS = ['#484f58', '#e5786d', '#7fbf7f', '#d9b45b', '#6ca8e8', '#c58af9', '#56c2c6', '#c9d1d9'];
const BRIGHT = ['#6e7681', '#ff9d92', '#a3dca3', '#f2cf7a', '#90c2ff', '#dcb0ff', '#7fdfe2', '#f0f6fc'];
const DIM = '#7d8793';

/** One picture of several screens, each shown for a second, over and over; of one screen a still one. */
export function terminalSvg(title: string, screens: readonly string[], size: { columns: number; rows: number }): string {
  const [width, height] = [Math.ceil(size.columns * CELL + 2 * EDGE), size.rows * LINE + 2 * EDGE];
  const share = 100 / screens.length;
  const shown = `@keyframes shown { 0%, ${share.toFixed(3)}% { visibility: visible } ${(share + 0.001).toFixed(3)}%, 100% { visibility: hidden } }`;
  const moves = `g.s { visibility: hidden; animation: shown ${screens.length}s step-end infinite } ${shown}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    `<title>${escaped(title)}</title>`,
    ...(screens.length > 1 ? [`<style>${moves}</style>`] : []),
    `<rect width="${width}" height="${height}" rx="8" fill="${GROUND}"/>`,
    ...screens.map((screen, at) =>
      screens.length > 1 ? `<g class="s" style="animation-delay:${at}s">${drawn(screen)}</g>` : drawn(screen),
    ),
    '</svg>\n',
  ].join('\n');
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Every piece is put where its column is, so that a font with other widths breaks no frame. */
function drawn(screen: string): string {
  return screen
    .trimEnd()
    .split('\n')
    .flatMap((line, row) => pieces(line).map((piece) => drawnPiece(piece, EDGE + (row + 1) * LINE - 4)))
    .join('\n');
}

interface Piece extends Style {
  readonly text: string;
  readonly column: number;
}

function drawnPiece({ text, column, bold, ...style }: Piece, y: number): string {
  const [fill, behind] = style.inverse ? [GROUND, style.fill] : [style.fill, style.behind];
  const x = (EDGE + column * CELL).toFixed(1);
  const width = ([...text].length * CELL).toFixed(1);
  const ground = behind ? `<rect x="${x}" y="${y - LINE + 4}" width="${width}" height="${LINE}" fill="${behind}"/>` : '';
  if (text.trim() === '') return ground;
  const weight = bold ? ' font-weight="bold"' : '';
  return `${ground}<text x="${x}" y="${y}" fill="${fill}"${weight} textLength="${width}" xml:space="preserve">${escaped(text)}</text>`;
}

const PLAIN: Style = { fill: TEXT, bold: false, inverse: false, behind: undefined };

function pieces(line: string): Piece[] {
  const found: Piece[] = [];
  let [style, column] = [PLAIN, 0];
  for (const part of line.split(/(\u001b\[[\d;]*m)/)) {
    const codes = /^\u001b\[([\d;]*)m$/.exec(part)?.[1];
    if (codes !== undefined) style = styled(style, codes.split(';').map(Number));
    else if (part !== '') {
      found.push({ ...style, text: part, column });
      column += [...part].length;
    }
  }
  return found;
}

function styled(style: Style, [code = 0, ...rest]: readonly number[]): Style {
  const next = (now: Style, left = rest) => (left.length > 0 ? styled(now, left) : now);
  if (code === 0) return next(PLAIN);
  if (code === 1) return next({ ...style, bold: true });
  if (code === 2) return next({ ...style, fill: DIM });
  if (code === 22) return next({ ...style, bold: false, fill: style.fill === DIM ? TEXT : style.fill });
  if (code === 7) return next({ ...style, inverse: true });
  if (code === 27) return next({ ...style, inverse: false });
  if (code === 39) return next({ ...style, fill: TEXT });
  if (code === 49) return next({ ...style, behind: undefined });
  if (code >= 30 && code <= 37) return next({ ...style, fill: COLOURS[code - 30]! });
  if (code >= 90 && code <= 97) return next({ ...style, fill: BRIGHT[code - 90]! });
  if (code >= 40 && code <= 47) return next({ ...style, behind: COLOURS[code - 40]! });
  if (code >= 100 && code <= 107) return next({ ...style, behind: BRIGHT[code - 100]! });
  // Of the 256 colours only the first sixteen have names.
  if ((code === 38 || code === 48) && rest[0] === 5) {
    const n = rest[1] ?? 7;
    const colour = n < 8 ? COLOURS[n]! : n < 16 ? BRIGHT[n - 8]! : TEXT;
    return next(code === 38 ? { ...style, fill: colour } : { ...style, behind: colour }, rest.slice(2));
  }
  return next(style);
}
