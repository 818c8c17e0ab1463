import { parseEvents } from '../../../support/farm.ts';
import { look, tryLook } from '../git.ts';
import { chainOf } from '../history.ts';
import type { Person } from '../person.ts';
import { ask } from '../world.ts';
import { goHome } from './branches.ts';
import { repairMain } from './commits.ts';
import { clear } from './files.ts';
import { home, type Step } from './step.ts';

/** A branch of the person's lands, they take it back by `git revert`, and submit the same branch again: it is there again. */
export async function revertAndResubmit(person: Person): Promise<void> {
  await clear(person);
  await person.tidy();
  await repairMain(person);
  const offer = await newOffer(person);
  if (offer === undefined) return;
  if (await submitted(person, offer, 'everything comes to its end')) {
    await takeBack(person, offer);
    if (person.chance(0.5)) await person.pounce();
    await submitted(person, offer, 'reverted work lands again');
  }
  await person.must('branch', '--quiet', '-D', offer.branch);
}

interface Offer {
  readonly branch: string;
  readonly path: string;
  readonly blob: string;
}

async function newOffer(person: Person): Promise<Offer | undefined> {
  const n = ++person.offers;
  const [branch, path] = [`offer-${n}`, `offers/${n}.txt`];
  if ((await person.must('switch', '--quiet', '--create', branch)).code !== 0) return undefined;
  await person.write(path, person.text('an offer'), '??');
  await person.must('add', path);
  await person.commit([path], '--message', `offer ${n}`);
  const blob = await look(person.world, 'rev-parse', `${branch}:${path}`);
  await goHome(person);
  return { branch, path, blob };
}

const isThere = async ({ world }: Person, { path, blob }: Offer) =>
  (await tryLook(world, 'rev-parse', '--verify', '--quiet', `refs/heads/main:${path}`)) === blob;

async function submitted(
  person: Person,
  offer: Offer,
  promise: 'everything comes to its end' | 'reverted work lands again',
): Promise<boolean> {
  const said = await ask(person.world, 'submit', offer.branch, '--priority', 'critical');
  person.tell(`furrow submit ${offer.branch} -> ${said.code}: ${(said.stdout + said.stderr).trim()}`);
  // Typed again after a kill in the middle of it, it may be there from the first time.
  if (said.code !== 0 && !said.stderr.includes('is in the queue already')) {
    person.wrong(promise, `furrow submit ${offer.branch}: exit ${said.code}: ${said.stderr.trim()}`);
    return false;
  }
  const there = await person.until(promise, `${offer.branch} on main`, () => isThere(person, offer));
  if (!there) person.tell(await lifeOf(person, offer));
  return there;
}

/** All that furrow says of it, for whoever has to find out why it is not there. */
async function lifeOf({ world }: Person, { branch }: Offer): Promise<string> {
  const [log, why] = await Promise.all([ask(world, 'log', '--json'), ask(world, 'why', branch)]);
  const told = parseEvents(log.stdout).filter(({ text }) => text.includes(branch) || text.includes('was moved to'));
  return [`all about ${branch}:`, why.stdout, ...told.map(({ at, text }) => `${at}  ${text}`)].join('\n');
}

/** Of a landing of several all are taken back. One that conflicts with what came since is taken back by hand. */
async function takeBack(person: Person, offer: Offer): Promise<void> {
  const chain = await chainOf(person.world, '-40', `${person.world.first}..main`);
  const landing = chain.find(({ offers }) => offers.includes(offer.branch));
  if (!landing) return person.wrong('everything comes to its end', `${offer.branch} is on main, and no landing names it`);
  const parents = (await look(person.world, 'log', '-1', '--format=%P', landing.commit)).split(' ');
  const done = await person.git('revert', '--no-edit', ...(parents.length > 1 ? ['--mainline', '1'] : []), landing.commit);
  if (done.code !== 0) {
    if ((await tryLook(person.world, 'rev-parse', '--verify', '--quiet', 'REVERT_HEAD')) !== undefined)
      await person.must('revert', '--abort');
    await person.must('rm', '--quiet', offer.path);
    await person.commit([offer.path], '--message', `without ${offer.branch}`);
  }
  if (await isThere(person, offer)) person.wrong('taken out stays out', `${offer.branch} was reverted, and is on main`);
}

export const offers: readonly Step[] = [{ name: 'revert and resubmit', weight: 2, when: home, run: revertAndResubmit }];
