import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

// Saves a file again and again, in place and by rename, and counts the saves that are gone for good. It saves at least so often, and goes on
// until a second file says that the other side has seen enough.
const [, , file, saves, enough] = process.argv;
const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
let lost = 0;
let n = 0;
for (; n < Number(saves) || !existsSync(enough); n++) {
  const mark = `save ${n}.`;
  const text = `---\nid: 1\ntitle: a\nstatus: todo\n---\n\n${mark}\n`;
  if (n % 2) writeFileSync(file, text);
  else {
    writeFileSync(`${file}.swp`, text);
    renameSync(`${file}.swp`, file);
  }
  pause(6 + (n % 5));
  // One that was written into a file just moved aside has its name back when the other side has looked again: on a busy machine much later.
  for (let looks = 0; !found(mark); looks++) {
    if (looks === 500) {
      lost++;
      break;
    }
    pause(10);
  }
}
console.log(`lost ${lost}`);

function found(mark) {
  for (;;) {
    try {
      return readFileSync(file, 'utf8').includes(mark);
    } catch {
      // The name is free for two system calls while the daemon replaces the file.
    }
  }
}
