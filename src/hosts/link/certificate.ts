import { createHash, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';

export interface Certificate {
  /** Both in PEM. */
  readonly key: string;
  readonly cert: string;
}

/** One value of DER: its tag, its length, its content. */
function der(tag: number, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const sequence = (...content: Uint8Array[]) => der(0x30, ...content);

const ED25519 = sequence(Buffer.from('06032b6570', 'hex'));
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('furrow')))));
/** From 2020 for ever, as RFC 5280 writes it: the clocks of machines differ, and a host knows the certificate by its hash. */
const ALWAYS = sequence(der(0x17, Buffer.from('200101000000Z')), der(0x18, Buffer.from('99991231235959Z')));

/** Makes the certificate of a leader. Nobody else signs it; an invitation carries its hash. */
export function makeCertificate(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(15)]);
  const content = sequence(der(0x02, serial), ED25519, name, ALWAYS, name, publicKey.export({ type: 'spki', format: 'der' }));
  const signature = der(0x03, Buffer.from([0]), sign(null, content, privateKey));
  const bytes = sequence(content, ED25519, signature);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: new X509Certificate(bytes).toString(),
  };
}

/** The hash by which a certificate is known. */
export const fingerprintOf = (cert: string): string => hashOfCertificate(new X509Certificate(cert).raw);

export const hashOfCertificate = (raw: Uint8Array): string => createHash('sha256').update(raw).digest('hex');
