import { timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { ReadRecord } from './encoding.ts'
import { BASE64, bytesOf, NUMBER } from './encoding.ts'

/** Reads `$argon2id$v=19$m=65536,t=3,p=4$SALT$OUTPUT`, and the same of Argon2i and Argon2d. */
export const readArgon2 = (text: string): E.Either<string, ReadRecord> => {
  const [, variant, version, m, t, p, salt64, output64] = FORM.exec(text) ?? []
  const salt = bytesOf(salt64)
  const output = bytesOf(output64)
  if (!isVariant(variant) || !salt || !output)
    return E.left('An Argon2 record must have the form $argon2id$v=19$m=…,t=…,p=…$SALT$OUTPUT.')
  const options = {
    algorithm: ALGORITHMS[variant],
    // The first version had no field for it.
    version: version === '19' ? 1 : 0,
    memoryCost: Number(m),
    timeCost: Number(t),
    parallelism: Number(p),
    outputLen: output.length,
    salt,
  }
  return E.right({
    scheme: {
      algorithm: `argon2${variant}`,
      memoryKiB: options.memoryCost,
      passes: options.timeCost,
      lanes: options.parallelism,
    },
    salt,
    output,
    matches: async (password) => {
      // The library's own verifier reads records without a version as version 19.
      const { hashRaw } = await import('@node-rs/argon2')
      return timingSafeEqual(await hashRaw(password, options), output)
    },
  })
}

const FORM = new RegExp(
  `^\\$argon2(id|i|d)\\$(?:v=(16|19)\\$)?m=${NUMBER},t=${NUMBER},p=${NUMBER}\\$${BASE64}\\$${BASE64}$`,
)

/** The library's numbers. */
const ALGORITHMS = { d: 0, i: 1, id: 2 } as const

const isVariant = (text: string | undefined): text is keyof typeof ALGORITHMS =>
  text !== undefined && Object.hasOwn(ALGORITHMS, text)
