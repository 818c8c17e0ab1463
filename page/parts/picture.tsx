import { useEffect, useState } from 'react';
import { visible } from '../../src/platform/visible.ts';
import type { PatchFile } from '../../src/tell/face/patch.ts';
import { hasVersion, useVersion } from './shown-change.ts';

/** Kinds that a browser draws and runs nothing of; an SVG only as the picture that it is, in an `img`. */
const KINDS: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
};

const kindOf = (path: string) => KINDS[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''];

export const isPicture = ({ path, from }: PatchFile): boolean =>
  kindOf(path) !== undefined && (from === null || kindOf(from) !== undefined);

const SIDES = [
  ['old', 'Before'],
  ['new', 'After'],
] as const;

/** The picture that a file was, beside the one that it is. */
export function Pictures({ file }: { readonly file: PatchFile }) {
  return (
    <div className="pictures">
      {SIDES.filter(([side]) => hasVersion(file, side)).map(([side, name]) => (
        <Picture key={side} file={file} side={side} name={name} />
      ))}
    </div>
  );
}

function Picture({ file, side, name }: { readonly file: PatchFile; readonly side: 'old' | 'new'; readonly name: string }) {
  const { data, error } = useVersion(file, side);
  const path = (side === 'old' && file.from) || file.path;
  const address = useAddress(data?.bytes ?? undefined, kindOf(path));
  const [seen, setSeen] = useState<string>();
  return (
    <figure>
      <figcaption className="muted">
        {[name, data && sizeOf(data.size), seen].filter(Boolean).join(', ')}
        {data?.bytes === null && ': too large to be shown here'}
      </figcaption>
      {error && !data && <p className="bad">{visible(error.message)}</p>}
      {address && (
        <img
          src={address}
          alt={`${visible(path)} ${side === 'old' ? 'before' : 'after'} the change`}
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => setSeen(`${width} × ${height}`)}
          onError={() => setSeen('the browser cannot draw it')}
        />
      )}
    </figure>
  );
}

/** An address of this page alone, for as long as it is drawn. */
function useAddress(bytes: string | undefined, type: string | undefined): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (bytes === undefined || type === undefined) return;
    const made = URL.createObjectURL(new Blob([Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0))], { type }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  return address;
}

/** The sizes of a file whose bytes say nothing to a person. */
export function Sizes({ file }: { readonly file: PatchFile }) {
  const { data: old } = useVersion(file, 'old', true);
  const { data: now } = useVersion(file, 'new', true);
  const parts = [old && `${sizeOf(old.size)} before`, now && `${sizeOf(now.size)} after`].filter(Boolean);
  return <p className="muted patch-note">A binary file; its bytes are not shown.{parts.length > 0 && ` ${parts.join(', ')}.`}</p>;
}

const UNITS = ['bytes', 'KB', 'MB', 'GB'];

function sizeOf(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  if (unit === 0) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return `${(bytes / 1024 ** unit).toLocaleString('en-US', { maximumFractionDigits: 1 })} ${UNITS[unit]}`;
}
