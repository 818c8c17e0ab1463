import { Fragment, type ReactNode, useMemo } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { type Block, type Inline, parseMarkdown } from '../../src/tell/face/markdown.ts';
import { shownCode } from './code.ts';

/** A text as it was meant to look. Nothing in it becomes markup but what is drawn here; a link leads to the web, and says where. */
export function Markdown({ text }: { readonly text: string }) {
  const blocks = useMemo(() => parseMarkdown(text.trim()), [text]);
  return <div className="markdown">{blocks.map((block, at) => keyed(at, <BlockView block={block} />))}</div>;
}

/** The parts of a text do not move. */
const keyed = (at: number, part: ReactNode) => <Fragment key={at}>{part}</Fragment>;

function BlockView({ block }: { readonly block: Block }) {
  switch (block.is) {
    case 'heading':
      return block.level < 3 ? <h3 className="large">{inline(block.line)}</h3> : <h3>{inline(block.line)}</h3>;
    case 'paragraph':
      return <p>{inline(block.line)}</p>;
    case 'quote':
      return <blockquote>{inline(block.line)}</blockquote>;
    case 'code':
      return <pre className="quote">{block.text.split('\n').map(shownCode).join('\n')}</pre>;
    case 'rule':
      return <hr />;
    case 'list':
      return (
        <ul className={block.ordered ? 'items ordered' : 'items'}>
          {block.items.map(({ done, depth, line }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move.
            <li key={at} data-depth={depth}>
              {done !== undefined && (
                <span aria-label={done ? 'done' : 'open'} role="img">
                  {done ? '☑ ' : '☐ '}
                </span>
              )}
              {inline(line)}
            </li>
          ))}
        </ul>
      );
    default:
      return block satisfies never;
  }
}

const inline = (line: readonly Inline[]) => line.map((piece, at) => keyed(at, pieceOf(piece)));

function pieceOf(piece: Inline): ReactNode {
  const text = piece.text.split('\n').map(visible).join(' ');
  switch (piece.is) {
    case 'code':
      return <code>{text}</code>;
    case 'strong':
      return <strong>{text}</strong>;
    case 'em':
      return <em>{text}</em>;
    case 'link':
      return (
        <a href={piece.to} target="_blank" rel="noopener noreferrer" title={visible(piece.to)}>
          {text}
        </a>
      );
    default:
      return text;
  }
}
