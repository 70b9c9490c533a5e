/**
 * How a password record of another system was made: the algorithm and its cost. The store has it as a public text beside the
 * record: `bcrypt:12`, `argon2id:m=65536,t=3,p=4`, `scrypt:15,8,1`, `pbkdf2-sha256:600000`.
 */
export type ForeignScheme = Bcrypt | Argon2 | Scrypt | Pbkdf2

type Bcrypt = Readonly<{ algorithm: 'bcrypt'; cost: number }>
type Argon2 = Readonly<{
  algorithm: `argon2${'id' | 'i' | 'd'}`
  memoryKiB: number
  passes: number
  lanes: number
}>
type Scrypt = Readonly<{ algorithm: 'scrypt'; logN: number; r: number; p: number }>
/** `blocks` counts the digests that the output needs (RFC 8018 §5.2). Each takes all iterations. */
type Pbkdf2 = Readonly<{
  algorithm: `pbkdf2-${'sha1' | 'sha256' | 'sha512'}`
  iterations: number
  blocks: number
}>

export const foreignSchemeText = (scheme: ForeignScheme): string => {
  switch (scheme.algorithm) {
    case 'bcrypt':
      return `bcrypt:${scheme.cost}`
    case 'scrypt':
      return `scrypt:${scheme.logN},${scheme.r},${scheme.p}`
    case 'argon2id':
    case 'argon2i':
    case 'argon2d':
      return `${scheme.algorithm}:m=${scheme.memoryKiB},t=${scheme.passes},p=${scheme.lanes}`
    default:
      return `${scheme.algorithm}:${scheme.iterations}${scheme.blocks === 1 ? '' : `,blocks=${scheme.blocks}`}`
  }
}

/** The scheme that this text names, if records of it can be verified. */
export const parseForeignScheme = (text: string): ForeignScheme | undefined => {
  const [, algorithm, cost] = /^([a-z0-9-]{1,20}):([a-z0-9=,]{1,60})$/.exec(text) ?? []
  if (algorithm === undefined || cost === undefined) return undefined
  const scheme = schemeAt(algorithm, (cost.match(/\d+/g) ?? []).map(Number))
  const isOurs =
    scheme !== undefined && foreignSchemeText(scheme) === text && boundsProblem(scheme) === undefined
  return isOurs ? scheme : undefined
}

const schemeAt = (
  algorithm: string,
  [one = 0, two = 1, three = 0]: ReadonlyArray<number>,
): ForeignScheme | undefined => {
  switch (algorithm) {
    case 'bcrypt':
      return { algorithm, cost: one }
    case 'scrypt':
      return { algorithm, logN: one, r: two, p: three }
    case 'argon2id':
    case 'argon2i':
    case 'argon2d':
      return { algorithm, memoryKiB: one, passes: two, lanes: three }
    case 'pbkdf2-sha1':
    case 'pbkdf2-sha256':
    case 'pbkdf2-sha512':
      return { algorithm, iterations: one, blocks: two }
    default:
      return undefined
  }
}

/** Why records of this scheme are too slow: each failed sign-in waits as long as the slowest record takes. */
const slownessProblem = (scheme: ForeignScheme): string | undefined => {
  const ms = BUSY * workOf(scheme) * MS_PER_UNIT[scheme.algorithm] + waitsMs(scheme)
  if (ms <= VERIFIED_MS) return undefined
  const seconds = (Math.ceil(ms / 100) / 10).toFixed(1)
  return `A record of the scheme ${foreignSchemeText(scheme)} can take ${seconds} s to verify. At most ${VERIFIED_MS / 1000} s are allowed.`
}

/** As long as a hash may wait for its turn by default. */
const VERIFIED_MS = 2_000

/** Hashes slow each other down, because they share memory and caches. */
const BUSY = 1.6

/** The lanes of Argon2 wait for each other in each pass. On a busy machine, each wait can take a time slice. */
const waitsMs = (scheme: ForeignScheme): number =>
  'lanes' in scheme && scheme.lanes > 1 ? 10 * scheme.passes : 0

/** Durations of a unit of work on an idle machine of 2024. */
export const MS_PER_UNIT: Readonly<Record<ForeignScheme['algorithm'], number>> = {
  bcrypt: 0.06,
  argon2id: 0.0006,
  argon2i: 0.0006,
  argon2d: 0.0006,
  scrypt: 1 / 3000,
  'pbkdf2-sha1': 0.00025,
  'pbkdf2-sha256': 0.00025,
  'pbkdf2-sha512': 0.0005,
}

/** Why records of this scheme are neither imported nor verified. */
export const boundsProblem = (scheme: ForeignScheme): string | undefined =>
  boundsOf(scheme).find(([value, [least, most]]) => !(value >= least && value <= most))?.[2] ??
  slownessProblem(scheme)

type Bound = readonly [value: number, range: readonly [least: number, most: number], problem: string]

const boundsOf = (scheme: ForeignScheme): ReadonlyArray<Bound> => {
  switch (scheme.algorithm) {
    case 'bcrypt':
      return [[scheme.cost, [4, 14], `The cost of bcrypt must be 4–14, got ${scheme.cost}.`]]
    case 'scrypt': {
      const { logN, r, p } = scheme
      return [
        [
          logN,
          [1, Math.min(63, 16 * r - 1)],
          `The parameter ln must be at least 1 and below 16·r, got ${logN}.`,
        ],
        [r, [1, 64], `The parameter r must be 1–64, got ${r}.`],
        [p, [1, 64], `The parameter p must be 1–64, got ${p}.`],
        [
          128 * r * 2 ** logN,
          [0, MEMORY_BYTES],
          'The memory of scrypt must be at most 256 MiB (128·N·r bytes).',
        ],
        [workOf(scheme), [1, SCRYPT_BLOCKS], `The product N·r·p must be at most ${SCRYPT_BLOCKS}.`],
      ]
    }
    case 'argon2id':
    case 'argon2i':
    case 'argon2d': {
      const { memoryKiB, passes, lanes } = scheme
      return [
        [lanes, [1, 64], `The parameter p must be 1–64, got ${lanes}.`],
        [
          memoryKiB,
          [8 * lanes, MEMORY_BYTES / 1024],
          `The parameter m must be 8·p–262144 (256 MiB), got ${memoryKiB}.`,
        ],
        [passes, [1, ARGON2_WORK], `The parameter t must be at least 1, got ${passes}.`],
        [workOf(scheme), [1, ARGON2_WORK], `The product m·t must be at most ${ARGON2_WORK}.`],
      ]
    }
    default:
      return [
        [
          scheme.iterations,
          [1, ITERATIONS],
          `The iterations must be 1–${ITERATIONS}, got ${scheme.iterations}.`,
        ],
        [scheme.blocks, [1, 16], 'The output must have at most 16 blocks.'],
        [workOf(scheme), [1, ITERATIONS], `The output needs more than ${ITERATIONS} iterations.`],
      ]
  }
}

/** The work of one verification, in a unit of its algorithm. */
export const workOf = (scheme: ForeignScheme): number => {
  switch (scheme.algorithm) {
    case 'bcrypt':
      return 2 ** scheme.cost
    case 'scrypt':
      return 2 ** scheme.logN * scheme.r * scheme.p
    case 'argon2id':
    case 'argon2i':
    case 'argon2d':
      return scheme.memoryKiB * scheme.passes
    default:
      return scheme.iterations * scheme.blocks
  }
}

const MEMORY_BYTES = 256 * 2 ** 20
const SCRYPT_BLOCKS = 2 ** 22
const ARGON2_WORK = 2 ** 21
const ITERATIONS = 5_000_000
