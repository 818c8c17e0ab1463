/** A task of the demo: what a person reads, and the script that the agent follows. */
export interface DemoTask {
  readonly id: number;
  readonly title: string;
  readonly text: string;
  readonly after?: readonly number[];
  readonly priority?: string;
  /** Its work lands after a person's yes. */
  readonly land?: 'approve';
  readonly script: readonly string[];
}

interface Recipe {
  readonly dish: string;
  readonly parts: readonly [string, number][];
}

const SOUP: Recipe = {
  dish: 'lentil-soup',
  parts: [
    ['lentils', 300],
    ['water', 900],
    ['carrots', 150],
  ],
};
const PANCAKES: Recipe = {
  dish: 'pancakes',
  parts: [
    ['flour', 250],
    ['milk', 500],
    ['eggs', 120],
  ],
};
const BREAD: Recipe = {
  dish: 'bread',
  parts: [
    ['flour', 500],
    ['water', 350],
    ['salt', 10],
  ],
};
const SALAD: Recipe = {
  dish: 'salad',
  parts: [
    ['leaves', 200],
    ['tomatoes', 300],
    ['oil', 30],
  ],
};

const words = (dish: string) => dish.replaceAll('-', ' ');

function recipe({ dish, parts }: Recipe, total = parts.reduce((sum, [, grams]) => sum + grams, 0)): string {
  return `write recipes/${dish}.txt ${[...parts.map(([name, grams]) => `${name} ${grams}`), `total ${total}`].join('\\n')}`;
}

function write(id: number, what: Recipe, script: readonly string[]): DemoTask {
  return { id, title: `Write the recipe for ${words(what.dish)}`, text: 'Its ingredients must add up to its total.', script };
}

function serve(id: number, day: string, dish: string, after: number): DemoTask {
  return {
    id,
    title: `Serve ${words(dish)} on ${day}`,
    text: 'Only a dish that has a recipe may be on the menu.',
    after: [after],
    script: ['work 250', `write menu/${day.toLowerCase()}.txt ${dish}`, `commit ${day}: ${words(dish)}`],
  };
}

/** With one agent the two invitations come one after the other: the second must not write over the first. */
function invite(id: number, guest: string, agents: number): DemoTask {
  const line = agents > 1 ? `line guests.txt 2 ${guest}` : `append guests.txt ${guest}`;
  return {
    id,
    title: `Invite ${guest}`,
    text: 'Put the name where it says that nobody is coming yet. Nobody who was invited may be dropped.',
    priority: 'critical',
    script: [
      'attempt 1:',
      'work 700',
      line,
      `commit invite ${guest}`,
      'attempt 2:',
      'merge $target',
      `append guests.txt ${guest}`,
      `commit invite ${guest}, beside the others`,
    ],
  };
}

/** The twelve tasks of the story, then as many plain ones as the options ask for. */
export function demoTasks(count: number, agents: number): DemoTask[] {
  const story: DemoTask[] = [
    invite(1, 'Ada', agents),
    invite(2, 'Grace', agents),
    write(3, PANCAKES, [
      'attempt 1:',
      'work 300',
      recipe(PANCAKES, 900),
      'commit pancakes',
      'attempt 2:',
      'work 200',
      recipe(PANCAKES),
      'commit pancakes, with a total that is right',
    ]),
    write(4, BREAD, [
      'attempt 1:',
      'work 300',
      'write recipes/bread.txt flour 500',
      'crash',
      'attempt 2:',
      'work 200',
      recipe(BREAD),
      'commit bread',
    ]),
    write(5, SOUP, ['work 400', recipe(SOUP), 'commit lentil soup']),
    write(6, SALAD, ['work 300', recipe(SALAD), 'commit salad']),
    serve(7, 'Monday', SOUP.dish, 5),
    serve(8, 'Tuesday', PANCAKES.dish, 3),
    serve(9, 'Wednesday', BREAD.dish, 4),
    serve(10, 'Thursday', SALAD.dish, 6),
    {
      id: 11,
      title: 'Write the shopping list',
      text: 'Everything that the menu needs.',
      after: [7, 8, 9, 10],
      script: ['work 250', 'write shopping.txt lentils\\nflour\\nmilk\\neggs\\nleaves\\ntomatoes', 'commit the shopping list'],
    },
    {
      id: 12,
      title: 'Send the invitation',
      text: 'With the menu, to all guests.',
      after: [1, 2, 11],
      script: ['work 250', 'write invitation.txt come and eat', 'commit the invitation'],
    },
  ];
  const more = Array.from({ length: Math.max(0, count - story.length) }, (_, n) => plain(story.length + 1 + n));
  return [...story.slice(0, count), ...more];
}

function plain(id: number): DemoTask {
  return {
    id,
    title: `Note an idea (${id})`,
    text: 'A note of its own.',
    script: ['work 200', `write notes/${id}.txt an idea`, `commit idea ${id}`],
  };
}
