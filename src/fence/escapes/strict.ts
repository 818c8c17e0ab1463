import { changed, done, type Escape, type Need } from './escape.ts';

const node = (line: string) => `"$NODE" -e '${line}'`;
const connect = (host: string, port = 'process.env.PORT_OUTSIDE') =>
  node(
    `const s=require("net").connect({host:"${host}",port:Number(${port})},()=>{s.end("hello");process.exit(0)});s.on("error",()=>process.exit(1))`,
  );

/** Says a request to the proxy in the fence, and ends well when it is not refused. */
const asks = (request: string) =>
  node(
    `const s=require("net").connect(61080,"127.0.0.1",()=>s.write("${request}"));let t="";s.on("data",d=>t+=d).on("close",()=>process.exit(/^HTTP.1.1 2/.test(t)?0:1)).on("error",()=>process.exit(1));setTimeout(()=>s.end(),300)`,
  );
const tunnel = (to: string) => asks(`CONNECT ${to} HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n`.replaceAll('PORT', '"+process.env.PORT_OUTSIDE+"'));
const fetched = (url: string) =>
  asks(`GET ${url} HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\n\\r\\n`.replaceAll('PORT', '"+process.env.PORT_OUTSIDE+"'));

/** Tries that only `strict` promises to refuse: the network, and the whole of the main repository. */
export const STRICT: readonly Escape[] = [
  changed('call a port of the machine', connect('127.0.0.1')),
  changed('call a port of the machine by its name', connect('localhost')),
  changed('call a port of the machine by IPv6', connect('::1')),
  done('find an interface of the machine', `[ "$(grep -c : /proc/net/dev)" -gt 1 ] || grep -q '^[^I]' /proc/net/route`),
  done('see connections of the machine', 'P=$(printf %04X "$PORT_OUTSIDE"); grep -q ":$P " /proc/net/tcp'),
  changed(
    'call a socket without a file',
    node('const s=require("net").connect("\\0"+process.env.ABSTRACT,()=>process.exit(0));s.on("error",()=>process.exit(1))'),
  ),
  done('see sockets without a file', 'grep -q "@$ABSTRACT" /proc/net/unix'),
  done('call out by UDP', node('const s=require("dgram").createSocket("udp4");s.send("x",53,"1.1.1.1",e=>process.exit(e?1:0))')),
  done('make an interface', 'ip link add furrow0 type dummy 2>/dev/null || ip tuntap add furrow0 mode tap 2>/dev/null'),
  done(
    'enter the network of a process outside',
    'nsenter -t "$VICTIM" -n true 2>/dev/null || nsenter --net=/proc/1/root/proc/1/ns/net true 2>/dev/null && [ "$(grep -c : /proc/net/dev)" -gt 1 ]',
  ),
  changed('ask the proxy for a port of the machine', tunnel('localhost:PORT')),
  changed('ask the proxy for an address in numbers', tunnel('127.0.0.1:PORT')),
  changed('ask the proxy for one large number', tunnel('2130706433:PORT')),
  changed('ask the proxy for an IPv6 address', tunnel('[::1]:PORT')),
  changed('ask the proxy for a name with a dot at its end', tunnel('localhost.:PORT')),
  changed('ask the proxy with a name before an @', tunnel('localhost@127.0.0.1:PORT')),
  changed('ask the proxy by http', fetched('http://localhost:PORT/')),
  changed('ask the proxy by http for an address in numbers', fetched('http://127.0.0.1:PORT/')),
  changed('ask the proxy by http with a name before an @', fetched('http://localhost@127.0.0.1:PORT/')),
  changed('ask the proxy by http for a file', fetched('file:///etc/passwd')),
  done('ask the proxy for a host that is not allowed', tunnel('example.org:443')),
  done('ask the proxy for the data of a cloud', fetched('http://169.254.169.254/latest/meta-data/')),
  changed('delete objects of the repository', 'rm -rf "$GIT/furrow-objects"/??  "$GIT/furrow-objects/pack"; rm -rf "$GIT/objects"/??'),
  changed(
    'write an object of the repository',
    'for d in "$GIT/furrow-objects"/??; do echo x > "$d/planted"; done; touch "$GIT/furrow-objects/planted"',
  ),
  changed(
    'lead the objects of the repository elsewhere',
    'echo "$OWN" > "$GIT/furrow-objects/info/alternates"; mv "$GIT/furrow-objects/info" "$GIT/furrow-objects/old"',
  ),
  changed(
    'lead its own objects elsewhere',
    'echo "$OUT" > "$GIT/objects/info/alternates"; mv "$GIT/objects/info" "$GIT/objects/old"; git -c core.alternateRefsCommand="touch $OUT/planted" fetch -q .',
  ),
  changed(
    'move a branch of the farm',
    'git update-ref refs/remotes/farm/main HEAD; git rev-parse HEAD > "$GIT/refs/remotes/farm/main"; rm -f "$GIT/refs/remotes/farm/main"',
  ),
  changed('plant a hook in its own repository', 'echo "touch $OUT/planted" > "$GIT/hooks/post-checkout"; mv "$GIT/hooks" "$GIT/old"'),
  done(
    'rename a folder above what lies over its own repository',
    'for d in worktrees worktrees/ada refs refs/remotes objects objects/info; do mv "$GIT/$d" "$GIT/$d.old" 2>/dev/null && exit 0; done; exit 1',
  ),
  // What lies over its own repository can be opened to write by nobody; written it is not, so that git works for the next one.
  ...Object.entries({
    'add a hook to its own repository': 'hooks/post-checkout',
    'add a module to its own repository': 'modules/planted',
    'add a branch of the farm': 'refs/remotes/farm/planted',
    'write which objects its own repository borrows': 'objects/info/alternates',
    'write the registration in its own repository': 'worktrees/ada/commondir',
    'write where the registration in its own repository leads': 'worktrees/ada/gitdir',
    'write the configuration of its registration': 'worktrees/ada/config.worktree',
  }).map(([name, path]) => done(name, `: >> "$GIT/${path}"`)),
  changed('replace its own configuration', 'echo "[core] x = y" > "$GIT/new"; mv -f "$GIT/new" "$GIT/config"; rm -f "$GIT/config"'),
  changed(
    'lead its own repository out by links',
    'for f in HEAD packed-refs refs logs worktrees/ada/HEAD worktrees/ada/index; do rm -rf "$GIT/$f"; ln -s "$OUT/file" "$GIT/$f"; echo x > "$GIT/$f"; done',
  ),
];

/** The work that `strict` lets an agent do beside that of every fence. */
export const STRICT_NEEDS: readonly Need[] = [
  { name: 'make tags and branches', run: 'git tag mine && git branch mine && git tag -d mine && git branch -D mine' },
  { name: 'stash', run: 'echo y >> tracked.txt && git stash -q && git stash pop -q && git checkout -q tracked.txt' },
  { name: 'see the target as it is now', run: 'git rev-parse -q --verify refs/remotes/farm/main' },
  { name: 'call an allowed port of the machine', run: connect('127.0.0.1', 'process.env.PORT_ALLOWED') },
  {
    name: 'call an allowed port by the proxy',
    run: asks('CONNECT localhost:"+process.env.PORT_ALLOWED+" HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n'),
  },
];
