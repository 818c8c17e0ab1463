/**
 * Milliseconds of processor time of this thread, the best of a few runs: what the code costs, however busy the machine
 * is with other suites. By the clock the same run took between 41 and 101 ms.
 */
export async function cost(runs: number, run: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < runs; n++) {
    const before = process.threadCpuUsage();
    await run();
    const used = process.threadCpuUsage(before);
    times.push((used.user + used.system) / 1000);
  }
  return Math.min(...times);
}
