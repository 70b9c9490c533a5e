import { createHash, createPrivateKey, createPublicKey, hkdfSync, verify } from 'node:crypto'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Notes } from '../../../application/ports/notes.ts'
import { type Ed25519, ed25519 } from './ed25519.ts'
import { SIGNATURE_BYTES } from './signatures.ts'

/**
 * Signed notes (C2SP signed-note) with the Ed25519 keys that HKDF-SHA-256 (RFC 5869) derives from secrets. Secrets are long and
 * random (adapters/config/settings.ts), so a slow derivation is not needed.
 */
export const ed25519Notes = (secrets: ReadonlyArray<Readonly<{ secret: string }>>): Notes => {
  let derived: ReadonlyArray<Ed25519> | undefined // with the first use: the server starts without them
  const pairs = (): ReadonlyArray<Ed25519> => {
    derived ??= secrets.map(({ secret }) =>
      pairOfSeed(Buffer.from(hkdfSync('sha256', secret, '', 'portcullis event-log key v1', 32))),
    )
    return derived
  }

  return {
    sign: async (text, name) => {
      const lines = await Promise.all(
        pairs().map(async (pair) => {
          const { sign } = await pair.signatures()
          const signature = Buffer.concat([hashOf(name, keyOf(pair)), sign(Buffer.from(text))])
          return `— ${name} ${signature.toString('base64')}\n`
        }),
      )
      return lines.length === 0 ? none : some(`${text}\n${lines.join('')}`)
    },

    verifierKeys: (name) =>
      pairs().map((pair) => {
        const key = keyOf(pair)
        return `${name}+${hashOf(name, key).toString('hex')}+${key.toString('base64')}`
      }),

    open: async (note, verifierKeys) => opened(note, verifierKeys.map(parseVerifierKey).filter(isPresent)),
  }
}

type Verifier = Readonly<{ name: string; hash: Buffer; publicKey: Buffer }>

const opened = (note: string, verifiers: ReadonlyArray<Verifier>): Option<string> => {
  const [, text, lines] = NOTE.exec(note) ?? []
  if (text === undefined || lines === undefined) return none
  let isSigned = false
  for (const line of lines.trimEnd().split('\n')) {
    const [, name, bytes] = SIGNATURE.exec(line) ?? []
    if (name === undefined || bytes === undefined) return none
    const decoded = Buffer.from(bytes, 'base64')
    const verifier = verifiers.find((one) => one.name === name && one.hash.equals(decoded.subarray(0, 4)))
    if (verifier === undefined) continue
    if (decoded.toString('base64') !== bytes || !isBy(verifier, text, decoded.subarray(4))) return none
    isSigned = true
  }
  return isSigned ? some(text) : none
}

/** A text that ends with a line feed, an empty line, and signatures. */
const NOTE = /^((?:[^\p{Cc}\p{Cs}]*\n)+)\n((?:— [^\n]+\n)+)$/u
const SIGNATURE = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u
const VERIFIER_KEY = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/

const isBy = ({ publicKey }: Verifier, text: string, signature: Buffer): boolean => {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') }
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  return signature.length === SIGNATURE_BYTES && verify(null, Buffer.from(text), key, signature)
}

const parseVerifierKey = (text: string): Verifier | undefined => {
  const [, name = '', hash, encoded = ''] = VERIFIER_KEY.exec(text.trim()) ?? []
  const key = Buffer.from(encoded, 'base64')
  return key.length === 33 && key[0] === ED25519 && hashOf(name, key).toString('hex') === hash
    ? { name, hash: Buffer.from(hash, 'hex'), publicKey: key.subarray(1) }
    : undefined
}

/** The signature type of Ed25519 in signed notes. */
const ED25519 = 1

/** The public key behind its type. */
const keyOf = ({ x }: Ed25519): Buffer => Buffer.concat([Buffer.of(ED25519), Buffer.from(x, 'base64url')])

/** The key hash: the first four bytes of a digest of name and key. */
const hashOf = (name: string, key: Buffer): Buffer =>
  createHash('sha256').update(`${name}\n`).update(key).digest().subarray(0, 4)

const pairOfSeed = (seed: Buffer): Ed25519 => {
  const der = Buffer.concat([PKCS8_OF_SEED, seed])
  const { d = '', x = '' } = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({
    format: 'jwk',
  })
  const pair = ed25519(d, x)
  if (pair === undefined) throw new Error('a seed gave no key pair')
  return pair
}

/** What stands before the seed in PKCS #8 (RFC 8410 §7). */
const PKCS8_OF_SEED = Buffer.from('302e020100300506032b657004220420', 'hex')

const isPresent = <A>(value: A | undefined): value is A => value !== undefined
