import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { titled, without } from '../support/needs.ts';
import { give, landed } from './seen.ts';
import type { Stage } from './stage.ts';

/** An MCP server with one tool, in one line: a file of its own would be hidden. */
const SERVER = `require('readline').createInterface({input:process.stdin}).on('line',l=>{const m=JSON.parse(l);if(m.id===undefined)return;const say=r=>console.log(JSON.stringify({jsonrpc:'2.0',id:m.id,...r}));if(m.method==='initialize')say({result:{protocolVersion:m.params.protocolVersion,capabilities:{tools:{}},serverInfo:{name:'x',version:'1'}}});else if(m.method==='tools/list')say({result:{tools:[{name:'look_up_word',description:'looks up',inputSchema:{type:'object',properties:{}}}]}});else say({error:{code:-32601,message:'no'}})})`;

export const SKILL = '---\nname: cranes\ndescription: folds paper cranes\n---\nFold.\n';

interface Persons {
  /** Texts by file below the home. */
  readonly files: Readonly<Record<string, string>>;
  /** Adds to the person's settings: a server that an agent may have, and one with a key. */
  readonly servers?: (home: string, server: object, secret: object) => Promise<void>;
}

/** The words and servers that a person chose for themselves reach an agent in a fence, and no server with a key does. */
export function persons(stage: Stage, { files, servers }: Persons): void {
  const name = `${stage.name} (${stage.mode}) has the person's own words, skills and servers in the fence, and furrow config names them`;
  it.skipIf(stage.missing !== null || without('bwrap'))(titled('bwrap', name), async () => {
    await using scene = await stage.open({ config: { isolation: 'guard', permissions: { rules: [{ do: 'allow' }] } } });
    const { repo, farm } = scene;
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(repo.home, path)), { recursive: true });
      await writeFile(join(repo.home, path), text);
    }
    const secret = { command: 'node', args: ['-e', SERVER.replace('look_up', 'hidden')], env: { WORD_TOKEN: 'abcdefghijkl' } };
    await servers?.(repo.home, { command: 'node', args: ['-e', SERVER] }, secret);
    await give(scene, [{ run: 'git status' }, { run: 'git log' }, { commit: 'one' }, { say: 'Done.' }]);
    const done = await farm.furrow('work', '--parallel', '1');
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(await landed(scene, 'one')).toBe(true);
    const seen = scene.requests().join('\n');
    const texts = ['always answer in rhyme', 'folds paper cranes', 'look_up_word', 'hidden_word'];
    expect(texts.map((one) => seen.includes(one))).toEqual([true, true, servers !== undefined, false]);
    const config = (await farm.furrow('config')).stdout;
    expect(config).toContain(`agents of kind ${stage.name} have in the fence, to read: `);
    if (servers) expect(config).toContain('MCP server vault (its WORD_TOKEN may be a secret');
    for (const [path, text] of Object.entries(files)) expect(await readFile(join(repo.home, path), 'utf8')).toBe(text);
  });
}
