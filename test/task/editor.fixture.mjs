import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

// Saves a file again and again, in place and by rename, and counts the saves that are gone a moment later. It saves at least so
// often, and goes on until a second file says that the other side has seen enough.
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
  if (!found(mark)) {
    pause(60);
    if (!found(mark)) lost++;
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
