import { type Argument, type Command, type Option, TRUST_OPTION } from '../command.ts';

const task: Argument = { name: 'TASK', says: 'its id, or phase/id', completes: 'task' };
const priorities = ['critical', 'high', 'medium', 'low'] as const;
const classes = ['expedite', 'fixed-date', 'standard', 'intangible'] as const;
const statuses = ['backlog', 'todo', 'in-progress', 'review', 'done', 'archived'] as const;

/** Options for the fields of a task file, shared by `add` and `edit`. */
const fields: readonly Option[] = [
  { name: 'body', type: 'text', value: 'TEXT|-', says: 'the text of the task; - reads it from stdin' },
  { name: 'depends-on', type: 'list', value: 'ID,…', says: 'the tasks that must have landed before', completes: 'task' },
  { name: 'priority', type: 'text', value: 'P', says: priorities.join(', '), completes: priorities },
  { name: 'agent', type: 'text', value: 'KIND', says: 'which configured kind of agent takes it', completes: 'kind' },
  { name: 'model', type: 'text', value: 'NAME', says: 'the model that its agent is told (default: `model` of its kind)' },
  {
    name: 'effort',
    type: 'text',
    value: 'LEVEL',
    says: 'how hard its agent thinks, where its driver can be told (default: `effort` of its kind)',
  },
  { name: 'paths', type: 'list', value: 'GLOB,…', says: 'the files that it is expected to change' },
  { name: 'needs', type: 'list', value: 'NAME,…', says: 'the resources of furrow.yaml that it needs while it is worked on' },
  { name: 'tags', type: 'list', value: 'TAG,…', says: 'tags' },
  { name: 'due', type: 'text', value: 'DATE', says: 'when it is due: a date such as 2030-12-31, today or tomorrow' },
  { name: 'class', type: 'text', value: 'CLASS', says: `its class of service: ${classes.join(', ')}`, completes: classes },
  { name: 'check', type: 'text', value: 'COMMAND', says: 'a check of its own, besides those of the project' },
  {
    name: 'land',
    type: 'text',
    value: 'auto|approve',
    says: 'approve: its work lands only after your approval (default: as the phase or the farm says)',
    oneOf: ['auto', 'approve'],
  },
  { name: 'review', type: 'flag', says: 'its work lands only after another agent has reviewed it' },
  { name: 'no-review', type: 'flag', says: 'its work needs no review, although `review:` in furrow.yaml asks for it' },
  { name: 'race', type: 'list', value: 'N|KIND,…', says: 'several agents try it, and one result lands: how many, or a kind for each' },
];

const attach: Option = {
  name: 'attach',
  type: 'list',
  value: 'FILE,…',
  says: 'pictures and other files that its agent gets; they are copied to the board and never land',
};

export const boardCommands: readonly Command[] = [
  {
    name: 'add',
    group: 'board',
    summary: 'adds a task to the board and prints its id',
    arguments: [{ name: 'TITLE', says: 'one line', many: true }],
    options: [
      ...fields,
      {
        name: 'phase',
        type: 'text',
        value: 'PHASE',
        says: 'which part of the board (default: the first with open tasks)',
        completes: 'phase',
      },
      attach,
    ],
    examples: [
      'furrow add "Parse dates" --body "ISO 8601 only" --priority high',
      'furrow add "Show dates" --depends-on 4 --paths "src/view/**"',
      'furrow add "Migrate the dates" --needs db',
      'furrow add "Mend the chart" --attach wrong.png',
      'furrow add "Find the leak" --agent claude --model opus --effort high',
    ],
    begins: true,
    run: async () => (await import('../commands/add.ts')).add,
  },
  {
    name: 'list',
    group: 'board',
    summary: 'lists the tasks with their state, and why they do not move',
    options: [
      { name: 'phase', type: 'text', value: 'PHASE', says: 'only this phase', completes: 'phase' },
      {
        name: 'state',
        type: 'text',
        value: 'STATE',
        says: 'only tasks in this state; --json calls working leased, and in-queue submitted',
        oneOf: ['waiting', 'ready', 'working', 'in-queue', 'landed', 'parked', 'blocked', 'archived', 'leased', 'submitted'],
      },
    ],
    examples: ['furrow list --state waiting'],
    run: async () => (await import('../commands/list.ts')).list,
  },
  {
    name: 'show',
    group: 'board',
    summary: 'shows one task: its text, its attempts, where it stands',
    arguments: [task],
    examples: ['furrow show 4'],
    run: async () => (await import('../commands/show.ts')).show,
  },
  {
    name: 'import',
    group: 'board',
    summary: 'makes tasks of issues on GitHub, GitLab, Gitea or Forgejo',
    details:
      'The forge is found by the remote origin. The token is the one of gh, glab or tea, or from the environment (GH_TOKEN, GITLAB_TOKEN, GITEA_SERVER_TOKEN); a public repository needs none. Title and text become those of a task, which keeps the address; "depends on #3" in the text makes it wait for the task of that issue. An issue that is a task already is left as it is, so the command can be given again. Agents are told that the text is not yours.',
    options: [
      { name: 'issue', type: 'list', value: 'N,…', says: 'these issues' },
      { name: 'label', type: 'text', value: 'NAME', says: 'all open issues with this label (default: forge.issues.label of furrow.yaml)' },
      { name: 'phase', type: 'text', value: 'PHASE', says: 'the part of the board that they go to', completes: 'phase' },
      { name: 'dry-run', type: 'flag', says: 'only says what would become a task' },
    ],
    examples: ['furrow import --issue 12', 'furrow import --label furrow --dry-run'],
    begins: true,
    run: async () => (await import('../commands/import.ts')).importIssues,
  },
  {
    name: 'edit',
    group: 'board',
    summary: 'changes fields of a task; without options opens its file in your editor',
    arguments: [task],
    options: [
      { name: 'title', type: 'text', value: 'TITLE', says: 'a new title' },
      ...fields,
      { name: 'note', type: 'text', value: 'TEXT', says: 'appends a note to the text' },
      attach,
      { name: 'unattach', type: 'list', value: 'NAME,…', says: 'takes attached files away again' },
      { name: 'release', type: 'flag', says: 'removes the claim that keeps agents away' },
      { name: 'status', type: 'text', value: 'STATUS', says: "one of the board's statuses", completes: statuses },
      { name: 'block', type: 'text', value: 'REASON', says: 'keeps it from being handed out' },
      { name: 'unblock', type: 'flag', says: 'lets it be handed out again' },
    ],
    examples: [
      'furrow edit 4 --priority critical --note "the customer waits"',
      'furrow edit 4 --block "waits for the new schema"',
      'furrow edit 4 --attach wrong.png',
    ],
    run: async () => (await import('../commands/edit.ts')).edit,
  },
  {
    name: 'move',
    partOf: 'edit',
    group: 'board',
    summary: 'sets the status of a task by hand',
    arguments: [task, { name: 'STATUS', says: "one of the board's statuses", completes: statuses }],
    examples: ['furrow move 4 backlog'],
    run: async () => (await import('../commands/board.ts')).move,
  },
  {
    name: 'block',
    partOf: 'edit',
    group: 'board',
    summary: 'keeps a task from being handed out',
    arguments: [task],
    options: [{ name: 'reason', type: 'text', value: 'TEXT', says: 'why', required: true }],
    examples: ['furrow block 4 --reason "waits for the new schema"'],
    run: async () => (await import('../commands/board.ts')).block,
  },
  {
    name: 'unblock',
    partOf: 'edit',
    group: 'board',
    summary: 'lets a blocked task be handed out again',
    arguments: [task],
    run: async () => (await import('../commands/board.ts')).unblock,
  },
  {
    name: 'remove',
    group: 'board',
    summary: 'takes tasks that nobody has worked on off the board',
    details:
      'Their files go to the trash in .furrow. A task that another one waits for stays, unless both are named. One that was worked on stays, too: archive it with `furrow edit TASK --status archived`.',
    arguments: [{ ...task, many: true }],
    examples: ['furrow remove 7', 'furrow remove 7 8'],
    run: async () => (await import('../commands/board.ts')).remove,
  },
  {
    name: 'split',
    group: 'board',
    summary: 'asks an agent to split a task or a goal into tasks, shows them, and puts them on the board after a yes',
    details:
      'Waits for the proposal and draws its graph. At a terminal it asks; else it prints the question, and `furrow answer ID yes` puts the tasks on the board. Meanwhile no agent starts on TASK. After a yes, TASK waits for the new tasks and comes last. The new tasks have the tag of the split. Exit 1 when there is no proposal, or the answer is no.',
    arguments: [{ name: 'TASK', says: 'its id, or phase/id', optional: true, completes: 'current-task' }],
    options: [
      { name: 'goal', type: 'text', value: 'TEXT', says: 'a goal in a sentence, instead of a task' },
      { name: 'agent', type: 'text', value: 'KIND', says: 'the kind of agent that is asked', completes: 'kind' },
      { name: 'yes', short: 'y', type: 'flag', says: 'puts the tasks on the board and asks nothing' },
      TRUST_OPTION,
    ],
    examples: ['furrow split 7', 'furrow split 7 --agent claude --yes', 'furrow split --goal "the export can be cancelled"'],
    begins: true,
    run: async () => (await import('../commands/split.ts')).split,
  },
  {
    name: 'plan',
    group: 'board',
    summary: 'what would run now, in which order, and why not the rest; changes nothing',
    arguments: [{ name: 'PHASE', says: 'a phase (default: the first with open tasks)', optional: true, completes: 'phase' }],
    options: [
      { name: 'parallel', short: 'n', type: 'number', value: 'N', says: 'as if with N agents', range: [1, 500] },
      { name: 'prompt', type: 'text', value: 'TASK', says: 'prints what an agent would be told about the task', completes: 'current-task' },
    ],
    examples: ['furrow plan --parallel 4', 'furrow plan --prompt 12'],
    run: async () => (await import('../commands/plan.ts')).plan,
  },
];
