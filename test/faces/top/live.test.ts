import { expect, it } from 'vitest';
import { windows } from '../../farm/windows.ts';
import { killDaemon } from '../../support/farm.ts';
import { processesOf } from '../../support/processes.ts';
import { terminal } from './terminal.ts';

it('a farm is steered from furrow top: questions answered in place, help, search, resize, a lost daemon, and the screen put back', async () => {
  await using it = await windows((gate) => [
    { id: 1, title: 'Clear the cache', agent: 'observe', script: ['permission sh asked.sh', gate('one'), 'write 1.txt 1', 'commit 1'] },
    { id: 2, title: 'Choose a database', script: ['ask Which database?', gate('two'), 'write 2.txt 2', 'commit 2'] },
  ]);
  await it.farm.furrow('work', '--parallel', '2', '--detach');
  const [permission, ask] = [await it.question('permission'), await it.question('ask')];
  await using person = await terminal(it.repo, ['top'], { width: 160, height: 45 });

  // The attention list comes first, and a key answers.
  // The row of the question is cut where its agent has a long name; the lines below it are whole.
  await person.shows(/asks to run sh asked\.sh/);
  await person.shows('[a] allow  [d] deny');
  await person.press('a');
  await person.shows(`question ${permission.id} is answered: allow`);
  await it.at('one');

  // A step that takes words opens a line for them.
  await person.shows('[t] answer…');
  // Right after the list has changed by itself a key is not taken for the next question; to move in it says that it was seen.
  await person.press('Home');
  await person.press('t');
  await person.type('SQLite, of course');
  await person.shows('answer: SQLite, of course');
  await person.press('Enter');
  await person.shows(`question ${ask.id} is answered`);
  await person.shows('nothing needs you');

  // Help, search, and an agent that is paused and resumed.
  await person.press('?');
  await person.shows('searches tasks, agents and events');
  await person.press('Escape');
  // A terminal takes an escape with a letter right behind it for one key.
  await expect.poll(() => person.screen()).not.toContain('searches tasks, agents and events');
  await person.type('/database');
  await person.shows(/task +2 Choose a database/);
  await person.press('Enter');
  await person.shows(/╭ 3 Board/);
  await person.press('p');
  await person.shows('gets no more tasks');
  await expect.poll(async () => (await it.agent('2')).paused).toBe(true);
  await person.press('r');
  await person.shows('gets tasks again');

  // A small terminal has one panel at a time; an agent's screen is a key away.
  await person.resize(80, 24);
  await person.shows(/1 Needs.*3 Board.*8 Events/);
  expect((await person.screen()).split('\n').every((line) => [...line].length <= 80)).toBe(true);
  const tabs = (await person.screen()).split('\n')[1]!;
  await person.type(`\u001b[<0;${tabs.indexOf('8 Events') + 2};2M`);
  await person.shows(/╭ 8 Events/);
  await person.press('2');
  await person.shows(/▶ .*working/);
  await person.press('Enter');
  await person.shows('Screen of');
  await person.shows('live; a attaches');
  await person.press('Escape');

  // The daemon is lost and found.
  await killDaemon(it.farm);
  await person.shows('the daemon is gone');
  await it.farm.furrow('status');
  await expect.poll(() => person.screen()).not.toContain('the daemon is gone');

  await person.press('q');
  await person.shows('ended with 0');
  await person.shows(' icanon');
  expect(await person.screen()).toMatch(/^the shell/);
  expect(processesOf(it.repo.base).filter(({ command }) => / top$/.test(command))).toEqual([]);
  await it.open('one');
  await it.open('two');
  expect(await it.settled()).toBe(0);
  expect(await it.told()).toContain('SQLite, of course');
});

it('Ctrl-C ends furrow top as q does, also while something is being typed', async () => {
  await using it = await windows((gate) => [{ id: 1, title: 'Wait', script: [gate('one')] }]);
  await it.farm.furrow('status');
  await it.farm.furrow('list');
  await it.farm.furrow('work', '--detach');
  await using person = await terminal(it.repo, ['top', '--no-mouse'], { width: 80, height: 24 });
  await person.shows('nothing needs you');
  await person.type('/wai');
  await person.shows('Search: wai');
  await person.press('C-c');
  await person.shows('ended with 0');
  await person.shows(' icanon');
});

it('furrow top ends while its daemon is gone', async () => {
  await using it = await windows((gate) => [{ id: 1, title: 'Wait', script: [gate('one')] }]);
  await it.farm.furrow('work', '--detach');
  await using person = await terminal(it.repo, ['top', '--no-mouse'], { width: 80, height: 24 });
  await person.shows('nothing needs you');
  await killDaemon(it.farm);
  await person.shows('the daemon is gone');
  await person.press('q');
  await person.shows('ended with 0');
});
