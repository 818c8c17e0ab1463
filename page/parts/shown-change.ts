import { createContext, use, useCallback } from 'react';
import type { In, Out } from '../../src/api/contract.ts';
import type { PatchFile } from '../../src/tell/face/patch.ts';
import { type Asked, useCall, useLink } from '../link/use-farm.ts';

/** The change around a file, by which the farm finds the file again. */
export type ShownChange = Pick<In<'changeFile'>, 'subject' | 'shows'>;

export const ShownChangeContext = createContext<ShownChange>({ subject: '' });

type Side = 'old' | 'new';

const argsOf = (change: ShownChange, file: PatchFile, side: Side): In<'changeFile'> => ({
  ...change,
  path: side === 'old' ? (file.from ?? file.path) : file.path,
  side,
  blob: file.blobs[side],
});

/** A patch has zeros where there is no such version. */
export const hasVersion = ({ blobs }: PatchFile, side: Side): boolean => /[^0]/.test(blobs[side]);

/** One version of a file, or with `weigh` its size alone; `undefined` instead of a side: nothing is asked. */
export function useVersion(file: PatchFile, side: Side | undefined, weigh = false): Asked<Out<'changeFile'>> {
  const change = use(ShownChangeContext);
  const asks = side !== undefined && hasVersion(file, side);
  return useCall('changeFile', asks ? { ...argsOf(change, file, side), ...(weigh && { weigh }) } : undefined);
}

/** Asks for one version of a file at a press. */
export function useAskVersion(file: PatchFile, side: Side): () => Promise<Out<'changeFile'>> {
  const change = use(ShownChangeContext);
  const link = useLink();
  return useCallback(() => link.call('changeFile', argsOf(change, file, side)), [link, change, file, side]);
}
