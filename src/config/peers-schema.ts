import { z } from 'zod';
import { field, kindName, several, whole } from './fields.ts';

/** The keys by which agents get company: more agents here, and agents of other farms. */
export const spawn = z.strictObject({
  kinds: field(several(kindName).default([]), 'a list of agent kinds', 'Kinds that an orchestrator may start agents of. Default: none.'),
  most: field(
    whole(0, 500).default(0),
    'a whole number from 0 to 500',
    'The most agents of a phase, those that an orchestrator adds included. Default: it may add none.',
  ),
});

/** As it stands before the colon of `repo:agent`. */
const farmName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/);
const farmNames = several(farmName).default([]);
const names = 'a list of names of farms';

export const circle = z.strictObject({
  name: field(
    farmName.optional(),
    'small letters, digits and -, at most 40',
    'The name of this farm among those of this machine. Default: from the name of its folder.',
  ),
  send: field(farmNames, names, 'Farms of this machine to whose agents those of this one may write. They must accept it.'),
  accept: field(farmNames, names, 'Farms of this machine whose agents may write to those of this one.'),
});
