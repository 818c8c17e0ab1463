import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asHostName, freeName, type HostEvent, isHostName, SILENT_MS, type Standing, shownState, step } from '../../src/hosts/state.ts';

it('a host that was removed stays removed, whatever comes later', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom<HostEvent>('join', 'drain', 'undrain', 'remove')), (events) => {
      let at: Standing = 'joined';
      for (const event of events) {
        const next: Standing | undefined = step(at, event);
        if (at === 'removed') expect(next).toBeUndefined();
        at = next ?? at;
      }
    }),
  );
});

it('a host of which nothing is heard is unknown, but a removed one is removed', () => {
  expect(shownState('joined', 0)).toBe('joined');
  expect(shownState('joined', SILENT_MS)).toBe('unknown');
  expect(shownState('draining', undefined)).toBe('unknown');
  expect(shownState('removed', undefined)).toBe('removed');
});

it('every name of a machine becomes the name of a host', () => {
  fc.assert(fc.property(fc.string(), (name) => isHostName(asHostName(name))));
  expect(asHostName('Build_Server.example.org')).toBe('build-server');
  expect(freeName('lab', new Set(['lab', 'lab-2']))).toBe('lab-3');
});
