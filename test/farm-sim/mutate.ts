import { registerHooks } from 'node:module';
import { farmMutants } from './mutants.ts';

/** Before anything of the product is loaded: its text is replaced where the mutant says so. */
const mutant = farmMutants.find(({ name }) => name === process.env['FARM_MUTANT']);
if (!mutant) throw new Error(`no mutant is named ${process.env['FARM_MUTANT']}`);

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const edits = mutant.edits.filter(({ file }) => url.endsWith(`/${file}`));
    if (edits.length === 0 || loaded.source === undefined || loaded.source === null) return loaded;
    let source = loaded.source.toString();
    for (const { find, replace } of edits) {
      if (!source.includes(find)) throw new Error(`${mutant.name}: nothing to replace in ${url}`);
      source = source.replace(find, () => replace);
    }
    return { ...loaded, source };
  },
});
