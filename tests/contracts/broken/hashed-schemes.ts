import * as E from 'fp-ts/lib/Either.js'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import type { HashedPassword } from '../../../domain/user.ts'
import { type BrokenHasher, brokenHasher } from './hashers.ts'

const SHOWN = 'a record comes with a scheme that a store can hold and anybody may see'
const OWN = 'how long a record of its own scheme takes is known'
const WITHOUT = 'how long it takes without a record is known, from the beginning'
const NOBODYS = 'how long a record takes of a scheme that nobody made is not known'

/** Hashers that say something else of how their records are made. */
export const BROKEN_SCHEMES: ReadonlyArray<BrokenHasher> = [
  naming('name no scheme', [SHOWN, OWN], () => ''),
  naming('name a scheme with a NUL', [SHOWN, OWN], ({ scheme }) => `${scheme}\0`),
  naming('show the record in its scheme', [SHOWN, OWN], ({ scheme, record }) => `${scheme} ${record}`),
  naming('name a scheme that they do not know', [OWN], () => 'our best'),
  brokenHasher('do not know how long a record takes', [OWN], (hasher) => ({
    verifyMs: (scheme) => (isSome(scheme) ? none : hasher.verifyMs(scheme)),
  })),
  brokenHasher('take no time without a record', WITHOUT, (hasher) => ({
    verifyMs: (scheme) => (isSome(scheme) ? hasher.verifyMs(scheme) : some(0)),
  })),
  brokenHasher('read every scheme', NOBODYS, () => ({ verifyMs: () => some(1) })),
]

function naming(
  breaks: string,
  caughtBy: ReadonlyArray<string>,
  name: (hashed: HashedPassword) => string,
): BrokenHasher {
  return brokenHasher(breaks, caughtBy, (hasher) => ({
    hash: (password, wanted) => async () =>
      E.map((hashed: HashedPassword) => ({ ...hashed, scheme: name(hashed) }))(
        await hasher.hash(password, wanted)(),
      ),
  }))
}
