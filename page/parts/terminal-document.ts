/**
 * The document for xterm on a page without `unsafe-inline`. Its renderer writes `<style>` elements, which the browser would drop; here they
 * become sheets that are adopted.
 */
export const terminalDocument: Document = new Proxy(document, {
  get(real, name) {
    if (name === 'createElement') return create;
    const value: unknown = Reflect.get(real, name, real);
    return typeof value === 'function' ? value.bind(real) : value;
  },
  set: (real, name, value) => Reflect.set(real, name, value, real),
});

const make = (name: string): HTMLElement => Document.prototype.createElement.call(document, name);

/** Opens a terminal: its scroll bar asks the page's own document for a style element, which is replaced meanwhile. */
export function openTerminal(terminal: { open(place: HTMLElement): void }, place: HTMLElement): void {
  document.createElement = create as typeof document.createElement;
  try {
    terminal.open(place);
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
}

const create = (name: string): HTMLElement => (name === 'style' ? sheet() : make(name));

/**
 * xterm gives a colour of 24 bits to a span by its `style` attribute, which the browser drops as well. The style object is allowed. The
 * rows are made with the page's own document whatever xterm is given, so this holds for all spans.
 */
HTMLSpanElement.prototype.setAttribute = function (name: string, value: string): void {
  if (name === 'style') this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
};

/** An element that shows nothing; its text is the text of a sheet. */
function sheet(): HTMLElement {
  const element = make('i');
  const rules = new CSSStyleSheet();
  element.hidden = true;
  document.adoptedStyleSheets.push(rules);
  Object.defineProperty(element, 'textContent', { set: (text: string) => rules.replaceSync(text) });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== rules);
    Element.prototype.remove.call(element);
  };
  return element;
}
