import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as declared from 'scrypt-kdf'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import { type QueueSettings, timeBoundedQueue } from './queue.ts'
import { decoyRecord, formatRecord, parseRecord, preHash, type ScryptCost } from './record.ts'

/** Passwords under scrypt, no more of them at once than leaves a core and a thread to everybody else. */
export const scryptPasswordHasher = (cost: ScryptCost, queue: QueueSettings): PasswordHasher => {
  const enqueue = timeBoundedQueue(queue, guessMs(cost))
  const decoy = decoyRecord(cost)

  return {
    hash: (password, wanted) =>
      enqueue(async () => formatRecord(await scrypt.kdf(preHash(password), cost)), wanted),

    verify: (password, record, wanted) => {
      const readable = pipe(
        record,
        O.chainNullableK(parseRecord),
        O.getOrElse(() => decoy),
      )
      return enqueue(() => scrypt.verify(readable, preHash(password)), wanted)
    },
  }
}

/** The package declares named exports, and has a default export only. */
const scrypt = (declared as unknown as { default: typeof declared }).default

/** Until hashes have been measured: about a third of a microsecond for each of the N·r·p blocks. */
const guessMs = ({ logN, r, p }: ScryptCost): number => (2 ** logN * r * p) / 3000
