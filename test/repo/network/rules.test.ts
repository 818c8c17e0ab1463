import { expect, it } from 'vitest';
import { isPublic, judgeCall, portsHere } from '../../../src/repo/network/rules.ts';

const RULES = ['registry.npmjs.org', '*.example.org', 'git.example.net:8443', 'localhost:5432'];

it.each([
  ['registry.npmjs.org', 443, 'world'],
  ['Registry.NPMjs.org.', 80, 'world'],
  ['a.b.example.org', 443, 'world'],
  ['git.example.net', 8443, 'world'],
  ['localhost', 5432, 'here'],
])('%s:%i may be called', (host, port, to) => expect(judgeCall(RULES, host, port)).toEqual({ to }));

it.each([
  ['example.org', 443],
  ['evilexample.org', 443],
  ['registry.npmjs.org.evil.com', 443],
  ['registry.npmjs.org', 22],
  ['git.example.net', 443],
  ['localhost', 5433],
  ['localhost', 80],
  ['127.0.0.1', 5432],
  ['2130706433', 5432],
  ['0x7f.1', 5432],
  ['0x7f000001', 5432],
  ['[::1]', 5432],
  ['::1', 5432],
  ['registry.npmjs.org\0.evil.com', 443],
  ['registry.npmjs.org/x', 443],
  ['user@registry.npmjs.org', 443],
  ['', 443],
  ['.', 443],
])('%j:%i may not be called', (host, port) => expect(judgeCall(RULES, host, port)).toHaveProperty('refused'));

it('nothing may be called without a rule', () => expect(judgeCall([], 'registry.npmjs.org', 443)).toHaveProperty('refused'));

it('ports of this machine are those that a rule names', () =>
  expect(portsHere([...RULES, 'localhost:5432', 'localhost:80'])).toEqual([5432, 80]));

it.each(['1.1.1.1', '93.184.216.34', '2606:4700::1111'])('%s is out in the world', (address) => expect(isPublic(address)).toBe(true));
it.each([
  ...['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1', '255.255.255.255'],
  ...[
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:93.184.216.34',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:db8::1',
    'ff02::1',
    'x',
  ],
])('%s is not', (address) => expect(isPublic(address)).toBe(false));
