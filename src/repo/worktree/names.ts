/** Short plain words of 3–7 letters, easy to say and to type. */
const FIRST = words(`
  amber ample apt azure balmy bold brave breezy bright brisk broad calm clear clever cosy crisp dapper deft dewy eager early even fair
  fleet fond fresh gentle glad gold grand green happy hardy hazel humble ivory jolly keen kind level light lively loyal lucid mellow merry
  mild modest neat nimble noble olive opal patient pearl placid plain polite prime quick quiet rapid ready robust rosy royal ruddy
  sage serene sharp silver smart smooth snug sober solid spry steady still stout sturdy sunny supple swift tender tidy true vivid warm wise
`);
const SECOND = words(`
  acorn alder apple aspen badger barley basil bay beech birch bison bramble brook cedar cherry clover comet coral cove crane creek cypress
  daisy dale delta dove dune egret elder elm ember falcon fern field finch fjord flax forest fox garden glade grove hare harbor hazel
  heath heron hill holly iris island ivy jay juniper kestrel lagoon lake larch lark laurel lilac linden lotus lynx maple marten meadow
  mesa mint moss nettle oak oat orchard osprey otter owl pebble pine plum pond poplar prairie quail quince raven reed ridge river robin
  rowan rye saffron sage sedge shore sorrel spruce stone stork sumac swan teal thistle thyme tulip valley walnut wheat willow wren yarrow
`);

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => /^[a-z]{3,7}$/.test(word));
}

/**
 * So many free names, always the same for the same seed. It walks the list of all pairs with a stride that shares no factor with its
 * length: each pair comes once, and neighbours look different. After the last pair a number is added.
 */
export function agentNames(count: number, taken: ReadonlySet<string>, seed: number): string[] {
  const total = FIRST.length * SECOND.length;
  const stride = coprime(Math.floor(total * 0.618), total);
  const names: string[] = [];
  for (let step = 0; names.length < count; step++) {
    const at = (((Math.abs(Math.trunc(seed)) * 7919 + step) % total) * stride) % total;
    const pair = `${FIRST[at % FIRST.length]}-${SECOND[Math.floor(at / FIRST.length)]}`;
    const name = step < total ? pair : `${pair}-${1 + Math.floor(step / total)}`;
    if (!taken.has(name)) names.push(name);
  }
  return names;
}

function coprime(from: number, to: number): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  let stride = from;
  while (divisor(stride, to) !== 1) stride++;
  return stride;
}
