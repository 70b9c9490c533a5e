import { unreadableSchemes } from '../../../application/password-schemes.ts'
import { parseScryptScheme } from '../../driven/records/password-scheme.ts'
import type { Operations } from './composition.ts'
import { CommandFailed, EXIT } from './exit.ts'
import { orRefuse, unreachable } from './operations.ts'

type Passwords = Pick<Operations, 'store' | 'passwordHasher'>

/** @throws CommandFailed when the store holds passwords that could not be checked here: the service may not be able to read what is written */
export const expectReadablePasswords = async ({ store, passwordHasher }: Passwords): Promise<void> => {
  const [scheme] = await orRefuse(unreadableSchemes(store, passwordHasher), unreachable)
  if (scheme !== undefined)
    throw new CommandFailed(`${sentence(scheme)} Nothing was changed.`, EXIT.wrongSettings)
}

/**
 * A service may go on without a pepper, with a warning. It may not where another hasher made the passwords.
 *
 * @throws CommandFailed
 */
export const expectOwnPasswords = async ({ store, passwordHasher }: Passwords): Promise<void> => {
  const unreadable = await orRefuse(unreadableSchemes(store, passwordHasher), unreachable)
  const others = unreadable.find((scheme) => parseScryptScheme(scheme) === undefined)
  if (others !== undefined) throw new CommandFailed(sentence(others), EXIT.wrongSettings)
}

const sentence = (scheme: string): string => {
  const ours = parseScryptScheme(scheme)
  const found = `The store holds passwords of the scheme "${scheme}", which these settings cannot check.`
  if (ours === undefined)
    return `${found} Another password hasher made them: run the program that brings it, or look at DATABASE_URL.`
  return ours.pepperId === ''
    ? `${found} Its cost is out of range: restore a back-up.`
    : `${found} Add the pepper ${ours.pepperId} to PASSWORD_PEPPER, as the service has it.`
}
