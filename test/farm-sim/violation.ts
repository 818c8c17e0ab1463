/** What no farm may ever do, whatever happens to it. */
export type Rule =
  | 'one attempt of a task at a time'
  | 'a token is never given twice'
  | 'what an old token says changes nothing'
  | 'a task lands once'
  | 'no landing without its verdicts'
  | 'no landing without its yes'
  | 'no landing without its review'
  | 'the head only moves to a descendant'
  | 'the target only moves to a descendant'
  | 'what landed is stored before it is published'
  | 'what landed is in the target'
  | 'what a person took out stays out'
  | 'only what the target has is pushed'
  | 'what was begun is carried on'
  | 'nothing starts before what it needs has landed'
  | 'exclusive leases never overlap'
  | 'a lease ends with its holder'
  | 'a message arrives once, in its order'
  | 'what was sent is kept, once'
  | 'a question has a subject that exists'
  | 'a stopped farm starts nothing'
  | 'an entry ends once'
  | 'attempts are bounded'
  | 'a failed try rests'
  | 'a note is written once'
  | 'an agent has one attempt'
  | 'nobody is ended before their time'
  | 'a limited provider starts nothing'
  | 'a proposal is asked about once'
  | 'a split is on the board once, and whole'
  | 'a race has one winner'
  | 'nobody is blamed without evidence'
  | 'nothing is stuck'
  | 'a look never fails'
  | 'the same seed, the same story';

/** A broken rule. */
export class Violation extends Error {
  readonly rule: Rule;

  constructor(rule: Rule, detail: string) {
    super(`${rule}: ${detail}`);
    this.name = 'Violation';
    this.rule = rule;
  }
}
