import { Box, type SuspendTerminal, Text, useApp, useInput } from 'ink';
import { memo, useEffect } from 'react';
import type { Line, Span, Tone } from './line.ts';
import { type Press, pressesOf } from './press.ts';

interface ScreenProps {
  readonly lines: readonly Line[];
  readonly colours: boolean;
  readonly onPress: (press: Press) => void;
  readonly onReady: (suspend: SuspendTerminal) => void;
}

/** The rows of a frame as they are, and the keys. What they show is decided in `frame.ts`, what keys do in `reduce.ts`. */
export function Screen({ lines, colours, onPress, onReady }: ScreenProps) {
  const { suspendTerminal } = useApp();
  useEffect(() => onReady(suspendTerminal), [onReady, suspendTerminal]);
  useInput((input, key) => {
    for (const press of pressesOf(input, key)) onPress(press);
  });
  return (
    <Box flexDirection="column">
      {lines.map((line, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its place.
        <Row key={row} line={line} colours={colours} text={keyOf(line)} />
      ))}
    </Box>
  );
}

/** Two lines that look the same have the same key. */
const keyOf = (line: Line) => line.map(({ text, tone, sgr }) => `${tone} ${sgr ?? ''} ${text}`).join('\n');
export const keyOfLines = (lines: readonly Line[]): string => lines.map(keyOf).join('\n\n');

interface RowProps {
  readonly line: Line;
  readonly colours: boolean;
  readonly text: string;
}

/** Drawn again only when it looks otherwise. */
const Row = memo(
  ({ line, colours }: RowProps) => (
    <Text wrap="truncate">
      {line.map((span, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a piece of a row is its place.
        <Piece key={at} span={span} colours={colours} />
      ))}
    </Text>
  ),
  (a, b) => a.text === b.text && a.colours === b.colours,
);

const COLOURS: Readonly<Partial<Record<Tone, string>>> = { good: 'green', bad: 'red', warn: 'yellow', busy: 'cyan' };

/** Without colours, what must be seen is bold, and what is chosen is inverse as ever. */
function Piece({ span: { text, tone, sgr }, colours }: { readonly span: Span; readonly colours: boolean }) {
  if (sgr !== undefined && colours) return <Text>{`\u001b[${sgr}m${text}\u001b[0m`}</Text>;
  const colour = colours ? COLOURS[tone] : undefined;
  return (
    <Text
      {...(colour && { color: colour })}
      bold={tone === 'strong' || (!colours && (tone === 'bad' || tone === 'warn'))}
      dimColor={tone === 'faint'}
      inverse={tone === 'chosen'}
    >
      {text}
    </Text>
  );
}
