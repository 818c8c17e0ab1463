import { expect, it } from 'vitest';
import { keepSecrets, redact } from '../../../src/platform/redact.ts';

it('hides the values of variables that are named like secrets, wherever they turn up', () => {
  keepSecrets({ STUB_API_KEY: 'not-a-real-value-1', FURROW_TOKEN: 'f00dfeed'.repeat(4), HOME: '/home/dev/long-enough', PIN_KEY: '1' });
  expect(redact('curl -H not-a-real-value-1 x; home /home/dev/long-enough 1')).toBe('curl -H … x; home /home/dev/long-enough 1');
  expect(redact(`{"token":"${'f00dfeed'.repeat(4)}"}`)).toBe('{"token":"…"}');
});

it.each([
  ['sk-ant-', `sk-ant-${'a1'.repeat(20)}`, 'sk-a…'],
  ['ghp_', `ghp_${'a1'.repeat(18)}`, 'ghp_…'],
  ['AIza', `AIza${'a1'.repeat(18)}`, 'AIza…'],
])('knows a key by its form: %s', (_, key, shown) => {
  expect(redact(`key=${key} end`)).toBe(`key=${shown} end`);
});

it('leaves ordinary text alone', () => {
  const text = 'risk-based sk-1, task sk-short, AKIA, eyJ.no.token';
  expect(redact(text)).toBe(text);
});
