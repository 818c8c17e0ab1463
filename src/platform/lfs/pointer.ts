/** The text that git holds for a large file: the hash of its content, and its size. */
export interface Pointer {
  readonly oid: string;
  readonly size: number;
}

/** The specification's limit of a pointer file. */
export const POINTER_BYTES = 1024;

const POINTER = /^version https:\/\/(?:git-lfs|hawser)\.github\.com\/spec\/v1\n(ext-.*\n)*oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n?$/;

/** Reads a pointer; `undefined` when the bytes are something else. One with extensions needs their programs, which we do not run. */
export function parsePointer(bytes: Uint8Array): (Pointer & { readonly extended: boolean }) | undefined {
  if (bytes.length > POINTER_BYTES) return undefined;
  const [, extension, oid, size] = POINTER.exec(Buffer.from(bytes).toString('utf8')) ?? [];
  return oid ? { oid, size: Number(size), extended: extension !== undefined } : undefined;
}

export function encodePointer({ oid, size }: Pointer): string {
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;
}

/** Where git-lfs keeps the content, below its storage folder. */
export function objectPath(storage: string, oid: string): string {
  return `${storage}/objects/${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid}`;
}

/** Environment for a git that only looks: it hashes large files for their pointers and does not store them. */
export const DRY = { FURROW_LFS: 'dry' };
