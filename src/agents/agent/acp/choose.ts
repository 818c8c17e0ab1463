import type { Order } from '../drivers/acp/order.ts';
import { type Fields, fields, list, text } from '../drivers/json.ts';
import { Refused, type Wire } from './wire.ts';

/** Tells the agent the model and the effort that it is to use. Answers why it could not be told, in words. */
export async function choose(wire: Wire, session: string, opened: Fields, { model, effort }: Order): Promise<string | undefined> {
  const told = model === undefined ? undefined : await tell(wire, session, opened, 'model', model);
  return told ?? (effort === undefined ? undefined : tell(wire, session, opened, 'effort', effort));
}

interface Choice {
  readonly value: string;
  readonly name: string;
}

const CATEGORIES = { model: 'model', effort: 'thought_level' } as const;

async function tell(wire: Wire, session: string, opened: Fields, what: keyof typeof CATEGORIES, wish: string): Promise<string | undefined> {
  const option = list(opened['configOptions'])
    .map(fields)
    .find(({ category }) => category === CATEGORIES[what]);
  const models = what === 'model' ? modelsIn(opened) : [];
  if (!option && models.length === 0)
    return `it cannot be told ${what === 'model' ? 'a model' : 'an effort'}: name it in \`run:\` of its kind, if its command line takes one`;
  const choices = option ? choicesIn(option) : models;
  const value = choices.find((one) => one.value === wish || one.name.toLowerCase() === wish.toLowerCase())?.value ?? wish;
  const call = option
    ? wire.call('session/set_config_option', { sessionId: session, configId: option['id'], value })
    : wire.call('session/set_model', { sessionId: session, modelId: value });
  return call.then(
    () => undefined,
    (error: unknown) => {
      if (!(error instanceof Refused)) throw error;
      return `it knows no ${what} ${wish} (${error.message}); it has ${choices.map((one) => one.value).join(', ')}`;
    },
  );
}

/** Choices may stand in groups. */
function choicesIn(option: Fields): Choice[] {
  const groups = list(option['options']).map(fields);
  return groups
    .flatMap((one) => ('group' in one ? list(one['options']).map(fields) : [one]))
    .map((one) => ({ value: text(one['value']), name: text(one['name']) }));
}

const modelsIn = (opened: Fields): Choice[] =>
  list(fields(opened['models'])['availableModels'])
    .map(fields)
    .map((one) => ({ value: text(one['modelId']), name: text(one['name']) }));
