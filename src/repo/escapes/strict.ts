import { changed, done, type Escape, type Need } from './escape.ts';

const node = (line: string) => `"$NODE" -e '${line}'`;
const connect = (host: string, port = 'process.env.PORT_OUTSIDE') =>
  node(
    `const s=require("net").connect({host:"${host}",port:Number(${port})},()=>{s.end("hello");process.exit(0)});s.on("error",()=>process.exit(1))`,
  );

/** Sends a request to the proxy in the fence, and exits with 0 when it is not refused. */
const asks = (request: string) =>
  node(
    `const s=require("net").connect(61080,"127.0.0.1",()=>s.write("${request}"));let t="";s.on("data",d=>t+=d).on("close",()=>process.exit(/^HTTP.1.1 2/.test(t)?0:1)).on("error",()=>process.exit(1));setTimeout(()=>s.end(),300)`,
  );
const tunnel = (to: string) => asks(`CONNECT ${to} HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n`.replaceAll('PORT', '"+process.env.PORT_OUTSIDE+"'));
const fetched = (url: string) =>
  asks(`GET ${url} HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\n\\r\\n`.replaceAll('PORT', '"+process.env.PORT_OUTSIDE+"'));

/** Tries that only `strict` promises to refuse: the network. */
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
];

/** The work that `strict` lets an agent do, beside that of every fence. */
export const STRICT_NEEDS: readonly Need[] = [
  { name: 'call an allowed port of the machine', run: connect('127.0.0.1', 'process.env.PORT_ALLOWED') },
  {
    name: 'call an allowed port by the proxy',
    run: asks('CONNECT localhost:"+process.env.PORT_ALLOWED+" HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n'),
  },
];
