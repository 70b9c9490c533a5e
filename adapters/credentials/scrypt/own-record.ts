import * as E from 'fp-ts/lib/Either.js'
import { boundsProblem } from '../../../domain/foreign-scheme.ts'
import { scryptSchemeText } from '../../../domain/scrypt-scheme.ts'
import type { HashedPassword } from '../../../domain/user.ts'
import { parseRecord, type ScryptCost, workOf } from './record.ts'

/** Whether the text claims to be a record that `formatRecord` made. */
export const isOwnRecord = (text: string): boolean => text.startsWith('1$')

/**
 * Reads a record of this service to import (docs/import.md, "The record format"). It is refused if it is not exactly what
 * `formatRecord` writes, or if its cost is out of bounds. The reason is a sentence without salt and output.
 *
 * The bounds are those of scrypt records of other systems. A record that costs no more than new ones is within them, too: failed
 * sign-ins take as long in any case.
 *
 * @param current the cost of new records
 */
export const ownRecordReader =
  (current: ScryptCost) =>
  (text: string): E.Either<string, HashedPassword> => {
    const record = FORM.test(text) ? parseRecord(text) : undefined
    if (record === undefined) return E.left(MALFORMED)
    const { cost, pepperId } = record
    const problem = isAtMost(cost, current) ? undefined : boundsProblem({ algorithm: 'scrypt', ...cost })
    return problem === undefined
      ? E.right({ record: text, scheme: scryptSchemeText({ cost, pepperId }) })
      : E.left(problem)
  }

/** The id of a pepper as settings have it, and 96 bytes in base64. No other text has the same bytes. */
const FORM = /^1\$[A-Za-z0-9_-]{0,16}\$[A-Za-z0-9+/]{128}$/

const MALFORMED =
  'A record of Portcullis must have the form 1$PEPPER-ID$BASE64, with the 96 bytes of an scrypt-kdf record and their checksum.'

/** Whether a hash takes no more time and no more memory than the other. */
const isAtMost = (cost: ScryptCost, other: ScryptCost): boolean =>
  workOf(cost) <= workOf(other) && memoryOf(cost) <= memoryOf(other)

const memoryOf = ({ logN, r, p }: ScryptCost): number => 128 * r * (2 ** logN + p)
