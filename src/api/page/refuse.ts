/** The head of a request: names and values in turn, as they came. */
interface Head {
  readonly rawHeaders: readonly string[];
}

/** `ws`: the request wants to become a WebSocket. */
export type Way = 'http' | 'ws';

/** The status with which a request is refused before anything else of it is looked at. */
type Refused = 400 | 403 | 421;

/** Headers that decide. One that comes twice may be read in two ways, so it is refused. */
const SINGLE = ['host', 'origin', 'sec-fetch-site', 'authorization'];

/** Sites of which a browser says that the page itself, or the person by its address, sent the request. */
const OWN_SITES = ['same-origin', 'none'];

/**
 * Decides by its headers whether a request can come from the page at this port. A rebound name has another Host; a
 * page elsewhere has another Origin, also one at another port of this machine, where agents run servers of their own. A WebSocket
 * must name its Origin, because every browser does. No cookie is ever set: it would be sent to those servers, too.
 */
export function refusedBy(request: Head, port: number, way: Way): Refused | undefined {
  const values = (name: string) => request.rawHeaders.filter((_, at, all) => at % 2 === 1 && all[at - 1]?.toLowerCase() === name);
  if (SINGLE.some((name) => values(name).length > 1)) return 400;
  const [[host], [origin], [site]] = [values('host'), values('origin'), values('sec-fetch-site')];
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return 421;
  if (origin === undefined ? way === 'ws' : origin !== `http://${host}`) return 403;
  return site === undefined || OWN_SITES.includes(site) ? undefined : 403;
}
