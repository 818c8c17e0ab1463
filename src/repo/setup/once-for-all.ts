/** Does a work once for all who ask for it at the same time. */
type Sharing<T> = (key: string, signal: AbortSignal, make: (signal: AbortSignal) => Promise<T>) => Promise<T>;

interface Work<T> {
  readonly done: Promise<T>;
  readonly abort: AbortController;
  waiting: number;
}

/**
 * The first caller for a key starts the work, and the others wait for it. A caller that is aborted leaves. When nobody waits any more, the
 * work is aborted too, and the last caller leaves when it has ended.
 */
export function sharing<T>(): Sharing<T> {
  const works = new Map<string, Work<T>>();
  return async (key, signal, make) => {
    signal.throwIfAborted();
    const work = works.get(key) ?? begin(key, make);
    work.waiting++;
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([work.done, left.promise]);
    } catch (error) {
      if (signal.aborted && work.waiting === 1) {
        work.abort.abort(signal.reason);
        await work.done.catch(() => {});
      }
      throw error;
    } finally {
      work.waiting--;
      signal.removeEventListener('abort', leave);
    }
  };

  function begin(key: string, make: (signal: AbortSignal) => Promise<T>): Work<T> {
    const abort = new AbortController();
    const work: Work<T> = { abort, waiting: 0, done: make(abort.signal).finally(() => works.get(key) === work && works.delete(key)) };
    work.done.catch(() => {});
    abort.signal.addEventListener('abort', () => works.get(key) === work && works.delete(key), { once: true });
    works.set(key, work);
    return work;
  }
}
