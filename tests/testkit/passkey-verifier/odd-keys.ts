import type { Cbor } from './cbor.ts'

/** A COSE_Key from `kty`, `alg` and what follows them. */
const key = (
  type: number,
  algorithm: number,
  ...parameters: ReadonlyArray<Cbor>
): ReadonlyMap<number, Cbor> =>
  new Map<number, Cbor>([
    [1, type],
    [3, algorithm],
    ...parameters.map((value, index): [number, Cbor] => [-1 - index, value]),
  ])

const bytes = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count))

/** An odd number with its highest bit set. */
const modulus = (bits: number): Uint8Array => {
  const made = bytes(bits / 8)
  made[0] = (made[0] ?? 0) | 128
  made[made.length - 1] = (made.at(-1) ?? 0) | 1
  return made
}
const EXPONENT = Uint8Array.of(1, 0, 1)

/** Public keys that are malformed, weak, or so large that a check takes seconds. */
export const ODD_KEYS: ReadonlyArray<readonly [string, ReadonlyMap<number, Cbor>]> = [
  ['RSA of 512 bits', key(3, -257, modulus(512), EXPONENT)],
  ['RSA of 1,024 bits', key(3, -257, modulus(1024), EXPONENT)],
  ['RSA of 8,192 bits', key(3, -257, modulus(8192), EXPONENT)],
  ['RSA with the exponent 1', key(3, -257, modulus(2048), Uint8Array.of(1))],
  ['RSA with an even exponent', key(3, -257, modulus(2048), Uint8Array.of(1, 0, 2))],
  ['RSA with an exponent of 64 bits', key(3, -257, modulus(2048), modulus(64))],
  ['RSA with SHA-1', key(3, -65_535, modulus(2048), EXPONENT)],
  ['a point that is not on P-256', key(2, -7, 1, bytes(32), bytes(32))],
  ['a point of P-256 without its y', key(2, -7, 1, bytes(32))],
  ['P-384 as ES256', key(2, -7, 2, bytes(48), bytes(48))],
  ['P-384 as ES384', key(2, -35, 2, bytes(48), bytes(48))],
  ['secp256k1', key(2, -47, 8, bytes(32), bytes(32))],
  ['Ed25519 as ES256', key(1, -7, 6, bytes(32))],
  ['Ed25519 of 31 bytes', key(1, -8, 6, bytes(31))],
  ['Ed448', key(1, -8, 7, bytes(57))],
  ['no parameters', key(2, -7)],
  ['no algorithm', new Map<number, Cbor>([[1, 2]])],
  ['texts for numbers', key(2, -7, 1, 'x', 'y')],
]
