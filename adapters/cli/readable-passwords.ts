import { isLeft, right } from 'fp-ts/lib/Either.js'
import { isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { StoreUnavailable } from '../../application/ports/store.ts'
import { pages } from '../../application/recording/pages.ts'
import { parseScryptScheme } from '../../domain/scrypt-scheme.ts'
import type { Operations } from './composition.ts'
import { CommandFailed, EXIT } from './exit.ts'
import { noOtherFailure, runOrFail } from './operations.ts'

type Passwords = Pick<Operations, 'store' | 'passwordHasher'>

/**
 * For commands that write passwords: with these settings, they could write records that the server cannot read.
 *
 * @throws CommandFailed if the store has passwords that these settings cannot verify
 */
export const refuseUnreadablePasswords = async (passwords: Passwords): Promise<void> => {
  const found = await runOrFail(unreadableScheme(passwords), noOtherFailure)
  if (isSome(found))
    throw new CommandFailed(`${sentence(found.value)} Nothing was changed.`, EXIT.wrongSettings)
}

/**
 * For the server: it may run without a pepper, with a warning, but not on the passwords of another hasher.
 *
 * @throws CommandFailed if another password hasher made passwords in the store
 */
export const refuseForeignPasswords = async (passwords: Passwords): Promise<void> => {
  const isForeign = (scheme: string) => parseScryptScheme(scheme) === undefined
  const found = await runOrFail(unreadableScheme(passwords, isForeign), noOtherFailure)
  if (isSome(found)) throw new CommandFailed(sentence(found.value), EXIT.wrongSettings)
}

const sentence = (scheme: string): string => {
  const scrypt = parseScryptScheme(scheme)
  const found = `The store has passwords of the scheme "${scheme}", which these settings cannot verify.`
  if (scrypt === undefined)
    return `${found} Another password hasher made them: name the module that provides it with --with, or correct DATABASE_URL.`
  return scrypt.pepperId === ''
    ? `${found} Its cost is out of range: restore a back-up.`
    : `${found} Add the pepper ${scrypt.pepperId} to PASSWORD_PEPPER.`
}

/**
 * Returns the first scheme in use whose records the hasher cannot read. The process that wrote them may be unable to read records
 * of this hasher, too.
 *
 * @param isMeant restricts it to some schemes
 */
const unreadableScheme =
  (
    { store, passwordHasher }: Passwords,
    isMeant: (scheme: string) => boolean = () => true,
  ): TaskEither<StoreUnavailable, Option<string>> =>
  async () => {
    const read = (after: string, limit: number) => store.listPasswordSchemes({ after, limit })
    for await (const page of pages(read, '', (scheme) => scheme)) {
      if (isLeft(page)) return page
      const isUnreadable = (scheme: string) => isNone(passwordHasher.verifyMs(some(scheme)))
      const found = page.right.find((scheme) => isMeant(scheme) && isUnreadable(scheme))
      if (found !== undefined) return right(some(found))
    }
    return right(none)
  }
