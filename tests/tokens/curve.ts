/** The part of edwards25519 (RFC 8032, §5.1) that forging signatures and keys requires. */

/** The field prime and the order of the group. */
export const P = 2n ** 255n - 19n
export const L = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n

/** Numbers as in RFC 8032: 32 bytes, little-endian. */
export const numberOf = (bytes: Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)

export const bytesOfNumber = (number: bigint): Buffer =>
  Buffer.from(BigInt.asUintN(256, number).toString(16).padStart(64, '0'), 'hex').reverse()

const mod = (number: bigint): bigint => ((number % P) + P) % P

const power = (base: bigint, exponent: bigint): bigint => {
  let [result, square] = [1n, mod(base)]
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = mod(result * square)
    square = mod(square * square)
  }
  return result
}

const inverse = (number: bigint): bigint => power(number, P - 2n)

/** The two square roots, or none (RFC 8032, §5.1.3). */
const roots = (square: bigint): ReadonlyArray<bigint> =>
  [power(square, (P + 3n) / 8n)]
    .flatMap((root) => [root, mod(root * power(2n, (P - 1n) / 4n))])
    .filter((root) => mod(root * root) === mod(square))
    .flatMap((root) => [root, P - root])

const D = mod(-121_665n * inverse(121_666n))
const SIGN = 2n ** 255n

/**
 * The points of small order. With them, an attacker can make signatures that pass under every key, or keys that accept
 * every signature, unless the verifier checks. Includes the non-canonical encodings.
 *
 * A point of order 8 doubled has y = 0, so that x² = -y², and with the equation of the curve d y⁴ + 2 y² - 1 = 0.
 */
export const SMALL_ORDER: ReadonlyArray<readonly [what: string, point: Buffer]> = [
  ['the neutral point', 1n],
  ['the neutral point with a sign', 1n + SIGN],
  ['the neutral point, not reduced', P + 1n],
  ['the point of order two', P - 1n],
  ['the point of order two with a sign', P - 1n + SIGN],
  ['a point of order four', 0n],
  ['the other point of order four', SIGN],
  ['a point of order four, not reduced', P],
  ['the other point of order four, not reduced', P + SIGN],
  ...roots(1n + D)
    .flatMap((root) => roots((root - 1n) * inverse(D)))
    .flatMap((y) => [y, y + SIGN])
    .map((y, index): [string, bigint] => [`point ${index + 1} of order eight`, y]),
].map(([what, y]) => [what as string, bytesOfNumber(y as bigint)])
