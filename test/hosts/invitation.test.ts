import { describe, expect, it } from 'vitest';
import { printInvitation, readInvitation } from '../../src/hosts/invitation.ts';

const whole = { host: '10.1.2.3', port: 7411, farm: '0123abcd', token: 'ab'.repeat(32), certificate: 'cd'.repeat(32) };

describe('an invitation', () => {
  it.each(['10.1.2.3', 'build.example', '::1'])('is read as it was printed, for %s', (host) => {
    expect(readInvitation(printInvitation({ ...whole, host }))).toEqual({ ...whole, host });
  });

  it.each([
    ['https://10.1.2.3:7411/0123abcd', 'furrow://'],
    ['furrow://10.1.2.3/0123abcd#x', 'host and port'],
    ['furrow://10.1.2.3:7411/0123abcd', 'quote it'],
    [printInvitation(whole).slice(0, -1), 'quote it'],
    ['', 'furrow://'],
  ])('that is cut or another address is refused with the next command: %s', (text, why) => {
    expect(() => readInvitation(text)).toThrow(
      expect.objectContaining({
        code: 'USAGE',
        message: expect.stringContaining(why),
        hint: expect.stringContaining('furrow host invite'),
      }),
    );
  });
});
