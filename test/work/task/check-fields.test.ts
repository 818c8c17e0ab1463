import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG } from '../../../src/work/task/board-config.ts';
import { checkFields, type GivenFields } from '../../../src/work/task/check-fields.ts';
import { dependencyCheck } from '../../../src/work/task/dependency.ts';
import { dueDate } from '../../../src/work/task/due-date.ts';
import { task } from './snapshot.ts';

const NOW = new Date(2026, 1, 28, 23, 30).getTime();
const tasks = [task('1'), task('2', { dependsOn: ['1'] }), task('3', { dependsOn: ['2'] }), task('ui/7'), task('api/7')];
const check = (given: GivenFields, ref?: string) =>
  checkFields(
    given,
    {
      config: DEFAULT_CONFIG,
      kinds: ['claude', 'sh'],
      resources: ['db', 'api:stripe'],
      refuses: dependencyCheck(tasks, { phase: 'default', ...(ref && { ref }) }),
    },
    NOW,
  );
const refuses = (given: GivenFields, why: RegExp, ref?: string) => () => expect(() => check(given, ref)).toThrow(why);

describe('fields given in a command', () => {
  it('an unknown priority is refused', refuses({ priority: 'urgent' }, /no priority urgent/));
  it('an unknown class is refused', refuses({ class: 'gold' }, /no class gold/));
  it('an unknown agent kind is refused', refuses({ agent: 'clod' }, /no agent kind clod/));
  it('an unknown resource is refused', refuses({ needs: ['db', 'bd'] }, /no resource bd/));
  it('an unknown dependency is refused', refuses({ depends_on: ['1', '99'] }, /there is no task 99/));
  it('a dependency that several phases have is refused', refuses({ depends_on: ['7'] }, /write phase\/id/));
  it('a dependency on itself is refused', refuses({ depends_on: ['2'] }, /wait for itself/, 'default/2'));
  it('a circle is refused with its tasks', refuses({ depends_on: ['3'] }, /3 waits for 2 waits for 1/, 'default/1'));
  it('a due that is no date is refused', refuses({ due: 'soon' }, /--due must be a date, not "soon"/));
  it('an empty title is refused', refuses({ title: ' ' }, /needs a title/));
  it('what the board knows is taken as it is', () => {
    const given = {
      title: 'x',
      priority: 'high',
      class: 'expedite',
      agent: 'sh',
      needs: ['db'],
      depends_on: ['3', 'ui/7'],
      due: '2026-03-01',
    };
    expect(check(given)).toEqual(given);
  });
  it('an empty text takes a field out and is never refused', () =>
    expect(check({ due: '', priority: '', agent: '' })).toEqual({ due: '', priority: '', agent: '' }));
  it('tomorrow becomes its date', () => expect(check({ due: 'tomorrow' })).toEqual({ due: '2026-03-01' }));
});

it.each([
  ['today', '2026-02-28'],
  ['Tomorrow', '2026-03-01'],
  ['2026-12-31', '2026-12-31'],
  ['2026-12-31T10:00', '2026-12-31'],
  ['2026-02-30', undefined],
  ['next week', undefined],
])('due %s is %s', (text, date) => expect(dueDate(text, NOW)).toBe(date));
