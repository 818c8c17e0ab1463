import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { Out } from '../../src/api/contract.ts';
import { type TestTask, writeBoard } from '../support/board.ts';
import { farm, type TestFarm } from '../support/farm.ts';
import { gitRepo } from '../support/repo.ts';

/** Fails for what is wrong, and takes its time with what is slow: so that a picture can have both. */
const CHECK = `#!/bin/sh
if grep -rq WRONG src 2>/dev/null; then
  echo "src/export.ts:41: error: expected 3 columns, got 2"
  echo "1 of 48 tests failed: exports empty rows"
  exit 1
fi
[ ! -e src/search.ts ] || sleep 900
echo "48 tests passed"
`;

const CONFIG = {
  agent: 'scripted',
  attempts: 1,
  agents: {
    scripted: { driver: 'scripted', mode: 'window', permission: 'act' },
    careful: { driver: 'scripted', mode: 'window', permission: 'observe' },
  },
  check: 'sh check.sh',
};

const README = '# Invoices\n\nCustomers are deleted by hand, once a year.\n\nAmounts are in cents.\n';

const code = (path: string, lines: readonly string[]) => `write ${path} ${lines.join('\\n')}`;

const SHORT = ['(rows: string[]): string {', "  return rows.join('\\\\n');", '}'];

/** A change that somebody has something to say about. */
const DELETED = [
  '(customers: Customer[], id: string): Customer[] {',
  '  const found = customers.find((one) => one.id === id);',
  '  if (!found) return customers;',
  '  // The tax office asks for invoices of ten years.',
  '  archive(found.invoices);',
  '  return customers.filter((one) => one !== found);',
  '}',
];

const made = (name: string, usd: number, [head = '', ...lines] = SHORT): string[] => [
  ...output(name),
  `usage ${Math.round(usd * 90_000)} ${Math.round(usd * 7000)} ${usd}`,
  code(`src/${name}.ts`, [`export function ${name.replace(/-./g, (two) => two[1]!.toUpperCase())}${head}`, ...lines]),
  `commit Add ${name}`,
];

/** The output of an agent at work: a terminal without any would be a picture of nothing. */
const output = (about: string) => [
  `say ● Read(src/${about}.ts)`,
  'say   └ 184 lines',
  `say ● Search("${about}", src/**/*.ts)`,
  'say   └ 7 matches in 3 files',
  `say ● First the tests of ${about}.`,
  `say ● Bash(npm test -- ${about})`,
  'say   └ ✓ 46 passed, 2 skipped (1.8 s)',
  `say ● Update(src/${about}.ts)`,
  'say   └ 12 additions, 3 removals',
];

const tail = (about: string, text: string, ...steps: string[]) => [...output(about), `progress ${text}`, ...steps];

/** The board of a small product in the middle of an afternoon. */
const tasks = (gate: string): readonly TestTask[] => [
  { id: 1, title: 'Read invoices from CSV', priority: 'high', script: made('read-csv', 0.42) },
  { id: 2, title: 'Add a table of customers', script: made('customers', 0.31) },
  { id: 3, title: 'Format amounts by currency', script: made('amounts', 0.18) },
  { id: 4, title: 'Validate tax numbers', depends_on: [1], script: made('tax-numbers', 0.55) },
  {
    id: 5,
    title: 'Export invoices as CSV',
    depends_on: [1],
    script: [...made('export', 0.61).slice(0, 2), 'append src/export.ts WRONG', 'commit Export'],
  },
  {
    id: 6,
    title: 'Delete customers on request',
    depends_on: [2],
    more: { land: 'approve' },
    script: ['line README.md 3 Customers are deleted on request, their invoices are kept.', ...made('delete-customers', 0.37, DELETED)],
  },
  { id: 7, title: 'Search invoices by text', depends_on: [4], priority: 'high', script: [`wait ${gate}`, ...made('search', 0.72)] },
  {
    id: 8,
    title: 'Send reminders by e-mail',
    depends_on: [2],
    script: ['blocked There is no key for the mail service in .env'],
  },
  {
    id: 9,
    title: 'Move the store to a new schema',
    agent: 'careful',
    depends_on: [3],
    script: tail(
      'migrations',
      'the migration is written',
      'usage 52000 4100 0.48',
      'permission psql -f migrations/004-invoices.sql "$DATABASE_URL"',
    ),
  },
  {
    id: 10,
    title: 'Show totals by month',
    depends_on: [3],
    script: tail(
      'totals',
      'comparing two ways to group',
      'usage 31000 2600 0.29',
      'dirty src/totals.ts export const by = "month";',
      'dirty src/pdf.ts export const totals = true;',
      'question Which calendar should months follow? | the customer’s | UTC',
    ),
  },
  {
    id: 11,
    title: 'Print invoices as PDF',
    depends_on: [4],
    script: tail(
      'pdf',
      'laying out the first page',
      'usage 44000 3900 0.39',
      'dirty src/pdf.ts export const page = 1;',
      'dirty src/totals.ts export const by = "page";',
      'hang',
    ),
  },
  { id: 12, title: 'Round amounts the way banks do', depends_on: [10], script: made('rounding', 0.2) },
  { id: 13, title: 'Archive invoices after ten years', depends_on: [6, 7], priority: 'low', script: made('archive', 0.2) },
  { id: 14, title: 'Import customers from vCards', depends_on: [2, 11], script: made('vcards', 0.2) },
  { id: 15, title: 'Warn before numbers run out', depends_on: [12, 13], priority: 'low', script: made('warn', 0.2) },
  { id: 16, title: 'Tell of slow queries', depends_on: [9], script: made('slow-queries', 0.2) },
  // At the very end, when all that stands above is where it should be: nobody is idle in the pictures.
  ...[
    { id: 17, title: 'Sort customers by city', about: 'cities' },
    { id: 18, title: 'Keep a copy of each e-mail', about: 'copies' },
  ].map(({ id, title, about }) => ({
    id,
    title,
    priority: 'low' as const,
    depends_on: [2, 3, 4],
    script: tail(about, `reading ${about}`, 'usage 12000 1100 0.11', 'hang'),
  })),
];

/** A farm in the middle of its work, with one of everything that a face can show. It stands still there. */
export async function pictureFarm(): Promise<{ farm: TestFarm } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const repo = stack.use(await gitRepo({ 'furrow.yaml': stringify(CONFIG), 'check.sh': CHECK, 'README.md': README }));
  const gate = join(repo.base, 'search');
  await writeBoard(repo, tasks(gate));
  const running = stack.use(farm(repo));
  await running.furrow('work', '--parallel', '5', '--detach');
  const asks = ({ attention }: Out<'status'>, ...kinds: string[]) => kinds.every((kind) => attention.some((one) => one.kind === kind));
  await until(running, (status) => asks(status, 'permission', 'question', 'approval', 'parked', 'blocked'));
  // Its check takes long: it begins when all else is where it should be.
  await writeFile(gate, '');
  await until(running, ({ queue, agents }) => queue.checking > 0 && agents.every(({ task }) => task !== null));
  await talk(running);
  const kept = stack.move();
  return { farm: running, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Messages and a job, as a person sends them in between. */
async function talk(running: TestFarm): Promise<void> {
  const { agents } = (await running.ask('status')) as Out<'status'>;
  const at = (task: string) => agents.find((agent) => agent.task === task)?.name ?? agents[0]!.name;
  await running.furrow('notify', at('11'), 'The logo is in assets/logo.svg; please do not draw another one.');
  await running.furrow('notify', at('10'), 'Months follow the calendar of the customer everywhere else.');
  await running.furrow('job', 'send', at('11'), 'Measure how long a PDF of 100 pages takes, and tell me the figure.');
}

async function until(running: TestFarm, ready: (status: Out<'status'>) => boolean): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; await pause(250)) if (ready(await running.ask('status'))) return;
  throw new Error(
    `the farm of the pictures does not get there: ${JSON.stringify((await running.ask('status')).attention.map((one: { kind: string; subject: string }) => [one.kind, one.subject]))}`,
  );
}
