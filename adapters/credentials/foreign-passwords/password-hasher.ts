import { isLeft } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PasswordHasher } from '../../../application/ports/password-hasher.ts'
import {
  type ForeignScheme,
  foreignSchemeText,
  MS_PER_UNIT,
  parseForeignScheme,
  workOf,
} from '../../../domain/foreign-scheme.ts'
import { workDurations } from '../hashing/durations.ts'
import type { HashingQueue } from '../hashing/queue.ts'
import type { ForeignRecord } from './encoding.ts'
import { readForeignRecord } from './record.ts'

/**
 * The same hasher, which also verifies records of other systems. These are outdated, so the next sign-in replaces them by records
 * of `hasher`. It leaves all other records to `hasher`. bcrypt records match by the first 72 bytes of a password, because their
 * systems compared only these. No sign-in with 72 bytes or more replaces them.
 *
 * @param enqueue the queue of `hasher`, so that one limit holds for both
 */
export const withForeignPasswords = (hasher: PasswordHasher, enqueue: HashingQueue): PasswordHasher => {
  const durations = foreignDurations()

  const timed = async ({ scheme, matches }: ForeignRecord, password: string): Promise<boolean> => {
    const startedAt = performance.now()
    const isSame = await matches(password)
    durations.measured(scheme, performance.now() - startedAt)
    return isSame
  }

  return {
    hash: (password, request) => hasher.hash(password, request),

    verify: (password, record, request) => {
      const foreign = pipe(
        record,
        O.chain((text) => O.fromEither(readForeignRecord(text))),
      )
      return O.isSome(foreign)
        ? enqueue(() => timed(foreign.value, password), request)
        : hasher.verify(password, record, request)
    },

    verifyMs: (scheme) => {
      const foreign = pipe(scheme, O.chainNullableK(parseForeignScheme))
      return O.isSome(foreign) ? O.some(durations.upperMs(foreign.value)) : hasher.verifyMs(scheme)
    },

    assess: (record, password) => {
      const foreign = readForeignRecord(record)
      if (isLeft(foreign)) return hasher.assess(record, password)
      return password === undefined || provesWhole(foreign.right, password) ? 'outdated' : 'current'
    },
  }
}

/** A password of all compared bytes could be the beginning of a longer one. */
const provesWhole = ({ comparedBytes }: ForeignRecord, password: string): boolean =>
  comparedBytes === undefined || Buffer.byteLength(password) < comparedBytes

/** Estimates how long a verification of any foreign scheme takes. */
const foreignDurations = () => {
  const byAlgorithm = new Map<string, ReturnType<typeof workDurations>>()

  const durationsOf = ({ algorithm }: ForeignScheme) => {
    const durations = byAlgorithm.get(algorithm) ?? workDurations(MS_PER_UNIT[algorithm])
    byAlgorithm.set(algorithm, durations)
    return durations
  }

  const costOf = (scheme: ForeignScheme) => ({ name: foreignSchemeText(scheme), work: workOf(scheme) })

  return {
    measured: (scheme: ForeignScheme, ms: number): void => durationsOf(scheme).measured(costOf(scheme), ms),
    upperMs: (scheme: ForeignScheme): number => durationsOf(scheme).upperMs(costOf(scheme)),
  }
}
