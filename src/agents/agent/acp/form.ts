import { type Fields, fields, list, text } from '../drivers/json.ts';
import type { AgentQuestion } from '../event.ts';

type Property = readonly [name: string, property: Fields];

/** The questions of a form: one for each of its fields. */
export function questionsIn(params: Fields): AgentQuestion[] {
  const message = text(params['message']);
  const asked = askedIn(params);
  return asked.map(([name, property]) => {
    const words = text(property['title']) || text(property['description']) || name;
    const whole = asked.length === 1 && message !== '' ? message : words;
    return { text: whole, options: choicesOf(property).map(({ label }) => label) };
  });
}

/** The filled form, with one list of labels or words for each question, in their order. */
export function answered(params: Fields, answers: readonly (readonly string[])[]): Record<string, unknown> {
  const all = propertiesOf(params);
  const filled = askedIn(params).map(([name, property], at) => {
    const words = answers[at] ?? [];
    const custom = `${name}${OWN_WORDS}`;
    const known = words.every((word) => choicesOf(property).some(({ label, value }) => label === word || value === word));
    return known || !all.some(([one]) => one === custom)
      ? ([name, valueIn(property, words)] as const)
      : ([custom, words.join(', ')] as const);
  });
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

/** The end of the name of a field in which an answer in other words goes (seen with claude-agent-acp 0.99.0). */
const OWN_WORDS = '_custom';

function askedIn(params: Fields): Property[] {
  const all = propertiesOf(params);
  return all.filter(([name]) => !all.some(([other]) => name === `${other}${OWN_WORDS}`));
}

function propertiesOf(params: Fields): Property[] {
  const properties = fields(fields(params['requestedSchema'])['properties']);
  return Object.entries(properties).map(([name, property]) => [name, fields(property)]);
}

/** The choices: the label that a person sees, and the value that the agent reads. */
function choicesOf(property: Fields): { readonly label: string; readonly value: string }[] {
  const of = property['type'] === 'array' ? fields(property['items']) : property;
  const titled = [...list(of['oneOf']), ...list(of['anyOf'])].map(fields);
  if (titled.length > 0) return titled.map((one) => ({ label: text(one['title']) || text(one['const']), value: text(one['const']) }));
  if (property['type'] === 'boolean') return ['yes', 'no'].map((label) => ({ label, value: label }));
  return list(of['enum']).map((value) => ({ label: text(value), value: text(value) }));
}

function valueIn(property: Fields, words: readonly string[]): unknown {
  const choices = choicesOf(property);
  const values = words.map((word) => choices.find(({ label, value }) => label === word || value === word)?.value ?? word);
  const [first] = values;
  switch (property['type']) {
    case 'array':
      return values;
    case 'boolean':
      return first === undefined ? undefined : /^(y|yes|true)$/i.test(first);
    case 'number':
    case 'integer':
      return first === undefined || Number.isNaN(Number(first)) ? undefined : Number(first);
    default:
      return first === undefined ? undefined : values.join(', ');
  }
}
