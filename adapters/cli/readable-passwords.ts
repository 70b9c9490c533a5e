import { isSome } from 'fp-ts/lib/Option.js'
import { unreadableScheme } from '../../application/accounts/password-schemes.ts'
import { parseScryptScheme } from '../credentials/hashing/scrypt-scheme.ts'
import type { Operations } from './composition.ts'
import { CommandFailed, EXIT } from './exit.ts'
import { noOtherFailure, runOrFail } from './operations.ts'

type Passwords = Pick<Operations, 'store' | 'passwordHasher'>

/**
 * For commands that write passwords: with these settings, they could write records that the server cannot read.
 *
 * @throws CommandFailed if the store has passwords that these settings cannot verify
 */
export const refuseUnreadablePasswords = async ({ store, passwordHasher }: Passwords): Promise<void> => {
  const found = await runOrFail(unreadableScheme({ store, hasher: passwordHasher }), noOtherFailure)
  if (isSome(found))
    throw new CommandFailed(`${sentence(found.value)} Nothing was changed.`, EXIT.wrongSettings)
}

/**
 * For the server: it may run without a pepper, with a warning, but not on the passwords of another hasher.
 *
 * @throws CommandFailed if another password hasher made passwords in the store
 */
export const refuseForeignPasswords = async ({ store, passwordHasher }: Passwords): Promise<void> => {
  const isForeign = (scheme: string) => parseScryptScheme(scheme) === undefined
  const found = await runOrFail(
    unreadableScheme({ store, hasher: passwordHasher }, isForeign),
    noOtherFailure,
  )
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
