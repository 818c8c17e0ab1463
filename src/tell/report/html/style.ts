import { Markup } from './markup.ts';

/** The look of the page. All of it is here: a report is one file that needs nothing else, on a screen, a phone or paper. */
export const style = new Markup(`
:root {
  color-scheme: light dark;
  --page: #fcfcfa; --card: #ffffff; --text: #1d2420; --soft: #56605a; --line: #dfe3de; --good: #1c7a48; --bad: #b3261e; --open: #2257a8;
  --wait: #a85b00; --other: #77817b; --tint: #e7f3ec; --note: #fff4dc; --notetext: #6b4500;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #141816; --card: #1b211e; --text: #e6ebe7; --soft: #a7b2ab; --line: #343c37; --good: #5cc28b; --bad: #ff8a80; --open: #8ab4f8;
    --wait: #f0a94a; --other: #8f9a93; --tint: #1e2f26; --note: #3a2e12; --notetext: #ffdf9e;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.page { max-width: 920px; margin: 0 auto; padding: 32px 20px 48px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 6px; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 40px 0 10px; }
h3 { font-size: 15px; margin: 22px 0 6px; }
p { margin: 0 0 10px; max-width: 72ch; }
.soft { color: var(--soft); }
.small { font-size: 13px; }
.note { background: var(--note); color: var(--notetext); border-radius: 6px; padding: 10px 14px; margin: 16px 0; }
.figures { display: grid; grid-template-columns: repeat(4, 1fr); gap: 10px; margin: 24px 0 0; padding: 0; }
.figures div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px 14px; }
.figures dt { color: var(--soft); font-size: 13px; }
.figures dd { margin: 0; font-size: 22px; font-weight: 600; line-height: 1.3; overflow-wrap: anywhere; }
.figures dd + dd { font-size: 13px; font-weight: 400; color: var(--soft); }
figure { margin: 0 0 22px; }
figcaption { font-weight: 600; margin-bottom: 2px; }
svg { display: block; max-width: 100%; height: auto; }
svg text { font-size: 12px; fill: var(--soft); }
.narrow { display: none; }
.grid { stroke: var(--line); stroke-width: 1; }
.axis { stroke: var(--other); stroke-width: 1; }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.area { opacity: 0.14; }
.line.landed { stroke: var(--good); } .area.landed, .dot.landed { fill: var(--good); }
.line.spent { stroke: var(--open); } .area.spent { fill: var(--open); }
.dot.pass { fill: var(--good); } .dot.fail { fill: var(--bad); } .dot.error { fill: var(--other); }
.dot { stroke: var(--page); stroke-width: 1; }
.span.good { fill: var(--good); } .span.bad { fill: var(--bad); } .span.open { fill: var(--open); } .span.other { fill: var(--other); }
.span.waiting { fill: var(--wait); } .span.limited { fill: var(--text); }
.span.waiting, .span.limited { stroke: var(--page); stroke-width: 1; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 0 0 4px; padding: 0; list-style: none; font-size: 13px; color: var(--soft); }
.legend i { display: inline-block; width: 11px; height: 11px; margin-right: 6px; border-radius: 2px; vertical-align: -1px; }
.legend .round { border-radius: 50%; }
.good-ink { background: var(--good); } .bad-ink { background: var(--bad); } .open-ink { background: var(--open); }
.other-ink { background: var(--other); } .wait-ink { background: var(--wait); } .limit-ink { background: var(--text); }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
td.long { overflow-wrap: anywhere; }
th { font-size: 13px; font-weight: 600; color: var(--soft); }
th.number, td.number { text-align: right; white-space: nowrap; }
td.number:last-child, th.number:last-child, td:last-child, th:last-child { padding-right: 0; }
.whole { white-space: nowrap; }
code { font: 13px/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
footer { margin-top: 48px; padding-top: 14px; border-top: 1px solid var(--line); }
@media (max-width: 640px) {
  .page { padding: 20px 14px 32px; }
  h1 { font-size: 23px; }
  .figures { grid-template-columns: repeat(2, 1fr); }
  .wide { display: none; }
  .narrow { display: block; }
  thead { display: none; }
  table, tbody, tr, td { display: block; }
  tr { border-bottom: 1px solid var(--line); padding: 8px 0; }
  td { border: 0; padding: 1px 0; }
  td[data-label] { display: inline; white-space: normal; }
  td:first-child { font-weight: 600; }
  td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); font-weight: 400; }
  td[data-label]:not(:nth-child(2))::before { content: " · " attr(data-label) ": "; }
  td.number, td.whole { text-align: left; white-space: normal; }
  td:empty { display: none; }
}
@media print {
  :root {
    color-scheme: light;
    --page: #ffffff; --card: #ffffff; --text: #000000; --soft: #444444; --line: #cccccc; --good: #1c7a48; --bad: #b3261e; --open: #2257a8;
    --wait: #a85b00; --other: #77817b; --note: #ffffff; --notetext: #000000;
  }
  body { font-size: 9.5pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .page { max-width: none; padding: 0; }
  .note { border: 1px solid var(--line); }
  h2 { break-after: avoid; margin-top: 24px; }
  figure, tr, .figures div { break-inside: avoid; }
  thead { display: table-header-group; }
  footer { margin-top: 24px; }
}
@page { margin: 16mm; }
`);
