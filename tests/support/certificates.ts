import { createSign, generateKeyPairSync } from 'node:crypto'

/** A key and its self-signed certificate, in PEM. Who trusts the certificate trusts the key. */
export type Certificate = Readonly<{ key: string; cert: string }>

/** Makes a certificate for a host name (RFC 5280). openssl of Debian 12 makes none that has ended. */
export const makeCertificate = (host: string, endsInDays: number, kind: 'ec' | 'rsa' = 'ec'): Certificate => {
  const { publicKey, privateKey } =
    kind === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const ends = new Date(Date.now() + endsInDays * A_DAY_MS)
  const begins = new Date(ends.getTime() - 400 * A_DAY_MS)
  const name = sequence(set(sequence(oid('550403'), der(UTF8_STRING, Buffer.from(host)))))
  const names = sequence(der(DNS_NAME, Buffer.from(host)))
  const algorithm =
    kind === 'ec'
      ? sequence(oid('2a8648ce3d040302')) // ecdsa-with-SHA256
      : sequence(oid('2a864886f70d01010b'), der(NULL)) // sha256WithRSAEncryption
  const content = sequence(
    der(explicit(0), der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    algorithm,
    name,
    sequence(time(begins), time(ends)),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(explicit(3), sequence(sequence(oid('551d11'), der(OCTET_STRING, names)))),
  )
  const signature = createSign('sha256').update(content).sign(privateKey)
  const whole = sequence(content, algorithm, der(BIT_STRING, Buffer.from([0]), signature))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  }
}

const A_DAY_MS = 86_400_000

const [INTEGER, BIT_STRING, OCTET_STRING, NULL, OBJECT, UTF8_STRING] = [
  0x02, 0x03, 0x04, 0x05, 0x06, 0x0c,
] as const
const [UTC_TIME, SEQUENCE, SET, DNS_NAME] = [0x17, 0x30, 0x31, 0x82] as const
const explicit = (tag: number): number => 0xa0 + tag

const der = (tag: number, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const bytes =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...bytes]), content])
}

const sequence = (...parts: ReadonlyArray<Buffer>): Buffer => der(SEQUENCE, ...parts)
const set = (part: Buffer): Buffer => der(SET, part)
const oid = (hex: string): Buffer => der(OBJECT, Buffer.from(hex, 'hex'))
const time = (date: Date): Buffer =>
  der(
    UTC_TIME,
    Buffer.from(
      `${date
        .toISOString()
        .replace(/[-:T]|\.\d+/g, '')
        .slice(2)}`,
    ),
  )
