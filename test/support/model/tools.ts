import type { Wish } from './script.ts';

/** A tool as the client declared it. */
export interface Declared {
  readonly name: string;
  readonly schema?: Schema | undefined;
  /** `custom`: takes a text, not an object. */
  readonly kind?: 'function' | 'custom';
  readonly namespace?: string | undefined;
}

export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly unknown[];
}

export interface Call {
  readonly name: string;
  readonly kind: 'function' | 'custom';
  readonly namespace?: string | undefined;
  readonly args: Readonly<Record<string, unknown>> | string;
}

const SHELLS = ['Bash', 'bash', 'exec_command', 'shell_command', 'run_shell_command', 'shell', 'local_shell', 'exec'];
const WRITERS = ['Write', 'write', 'write_file', 'create_file'];

/** The call of a declared tool that does what the script wants; undefined when the client has none for it. */
export function callFor(wish: Wish, tools: readonly Declared[], folder: string | undefined): Call | undefined {
  if (wish.tool === 'shell') return shellCall(wish.command, wish.escalated, tools);
  if (wish.tool === 'write') return writeCall(wish.path, wish.text, tools, folder);
  if (wish.tool === 'ask') return askCall(wish, tools);
  const { server, tool, args = {} } = wish.call;
  const declared = tools.find(({ name, namespace }) => `${namespace ?? ''}/${name}`.includes(server) && name.endsWith(tool));
  return declared && call(declared, args);
}

const call = (tool: Declared, args: Call['args']): Call => ({
  name: tool.name,
  kind: tool.kind ?? 'function',
  args,
  ...(tool.namespace && { namespace: tool.namespace }),
});

const first = (tools: readonly Declared[], names: readonly string[]) =>
  names.map((name) => tools.find((tool) => tool.name === name)).find((tool) => tool !== undefined);

function shellCall(command: string, escalated: boolean, tools: readonly Declared[]): Call | undefined {
  const tool = first(tools, SHELLS);
  if (!tool) return undefined;
  if (tool.kind === 'custom') return call(tool, `const r = await tools.exec_command({cmd: ${JSON.stringify(command)}}); text(r.output);`);
  const has = tool.schema?.properties ?? {};
  return call(tool, {
    ...(has['cmd'] ? { cmd: command } : { command: has['command']?.type === 'array' ? ['bash', '-lc', command] : command }),
    ...(has['description'] && { description: 'Runs a command' }),
    ...(has['is_background'] && { is_background: false }),
    ...(escalated &&
      has['sandbox_permissions'] && { sandbox_permissions: 'require_escalated', justification: 'Needs to leave the sandbox' }),
  });
}

function writeCall(path: string, text: string, tools: readonly Declared[], folder: string | undefined): Call | undefined {
  const tool = first(tools, WRITERS);
  if (tool) {
    const has = tool.schema?.properties ?? {};
    const name = ['file_path', 'filePath', 'path'].find((key) => has[key]) ?? 'file_path';
    return call(tool, { [name]: path.startsWith('/') || !folder ? path : `${folder}/${path}`, content: text });
  }
  const patcher = first(tools, ['apply_patch']);
  const scripts = tools.find(({ name, kind }) => name === 'exec' && kind === 'custom');
  if (!patcher && !scripts) return shellCall(`cat > '${path}' <<'END_OF_FILE'\n${text.replace(/\n?$/, '\n')}END_OF_FILE`, false, tools);
  const added = text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `+${line}\n`);
  const patch = `*** Begin Patch\n*** Add File: ${path}\n${added.join('')}*** End Patch`;
  if (!patcher) return call(scripts!, `text(await tools.apply_patch(${JSON.stringify(patch)}));`);
  return call(patcher, patcher.kind === 'custom' ? patch : { input: patch });
}

/** Each of the four has its own form of the same question. */
function askCall({ question, options }: { question: string; options: readonly string[] }, tools: readonly Declared[]): Call | undefined {
  const tool = first(tools, ['AskUserQuestion', 'question', 'ask_user', 'request_user_input']);
  const choices = options.map((label) => ({ label, description: `Take ${label}` }));
  const asked = { question, header: 'Question', options: choices };
  switch (tool?.name) {
    case undefined:
      return undefined;
    case 'AskUserQuestion':
      return call(tool!, { questions: [{ ...asked, multiSelect: false }] });
    case 'ask_user':
      return call(tool!, { questions: [{ ...asked, type: 'choice' }] });
    case 'request_user_input':
      return call(tool!, { questions: [{ ...asked, id: 'question' }] });
    default:
      return call(tool!, { questions: [asked] });
  }
}

/** The smallest value of a schema: side requests want JSON of a certain form, of any content. */
export function smallest(schema: Schema | undefined): unknown {
  if (schema?.enum) return schema.enum[0];
  const type = String(schema?.type ?? 'object').toLowerCase();
  if (type === 'object') return Object.fromEntries(Object.entries(schema?.properties ?? {}).map(([key, inner]) => [key, smallest(inner)]));
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  return type === 'number' || type === 'integer' ? 1 : 'stub';
}
