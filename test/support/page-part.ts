import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';

/**
 * The markup of a component of the page, as a browser gets it first. Its path is no literal: the page is checked with the types of a
 * browser, and the tests with those of Node.
 */
export async function pagePart(file: string, name: string): Promise<(props: object) => string> {
  const path = `../../page/${file}`;
  const parts = (await import(/* @vite-ignore */ path)) as Record<string, Parameters<typeof createElement>[0]>;
  return (props) => renderToStaticMarkup(createElement(parts[name]!, props));
}
