import { isLeft } from 'fp-ts/lib/Either.js'
import { getOrElse, isSome, none, some } from 'fp-ts/lib/Option.js'
import { failedSignInMs } from '../../application/passwords/even-timing.ts'
import { SHARE_OF_COMMANDS } from '../../application/passwords/hashing-shares.ts'
import type { Finding } from '../../application/ports/inspection.ts'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import { parseForeignScheme } from '../../domain/foreign-scheme.ts'
import { hasPassword } from '../../domain/user.ts'
import { isCheaperThanRecommended } from '../config/settings.ts'
import type { Operations } from './composition.ts'
import type { TableFinding } from './table-finding.ts'

/** Whether every password can be verified, which schemes are in use, and what the slowest of them costs. */
export const passwordsFinding = (
  { passwordHasher }: Pick<Operations, 'passwordHasher'>,
  haveHasher: boolean,
): TableFinding<'users'> => {
  const counts = { current: 0, outdated: 0, unreadable: 0 }
  let without = 0
  const schemes = new Map<string, InUse>()
  return {
    name: 'passwords',
    table: 'users',
    take: (users) => {
      for (const user of users.filter(({ status }) => status !== 'removed')) {
        if (!hasPassword(user)) {
          without += 1
          continue
        }
        const { passwordRecord, passwordScheme } = user
        counts[passwordHasher.assess(passwordRecord)] += 1
        const known = schemes.get(passwordScheme)
        if (known === undefined) schemes.set(passwordScheme, { record: passwordRecord, users: 1 })
        else known.users += 1
      }
    },
    findings: async () => {
      const { current, outdated, unreadable } = counts
      const imported = [...schemes].filter(([scheme]) => parseForeignScheme(scheme) !== undefined)
      const inUse = schemesText(schemes, (scheme) => isSome(passwordHasher.verifyMs(some(scheme))))
      const detail =
        unreadable === 0
          ? `${current} are up to date. ${outdated} will be rehashed at the next sign-in.${importedText(usersOf(imported))}${await slowestText(slowestOf(schemes, passwordHasher), passwordHasher)}`
          : `${unreadable} cannot be verified. ${haveHasher ? OTHER_HASHER_MADE_THEM : PEPPER_IS_MISSING} Or they are damaged: restore a back-up.`
      return [
        {
          name: 'passwords',
          ok: unreadable === 0,
          detail: `${detail}${without === 0 ? '' : ` ${without} have no password.`}${inUse}`,
        },
      ]
    },
  }
}

const PEPPER_IS_MISSING =
  'Either PASSWORD_PEPPER lacks their pepper: add it. Or another password hasher made them: name the module that provides it with --with.'
const OTHER_HASHER_MADE_THEM =
  'Either another password hasher made them than the one of --with: name the module that provides it.'

const importedText = (users: number): string =>
  users === 0
    ? ''
    : ` ${users} of them came from another system. If such a user does not return, start a recovery or run user set-password.`

/** A scheme in use: the record of its first user, and their number. */
type InUse = { readonly record: string; users: number }
type Schemes = ReadonlyMap<string, InUse>

const usersOf = (schemes: ReadonlyArray<readonly [string, InUse]>): number =>
  schemes.reduce((sum, [, { users }]) => sum + users, 0)

/** The schemes in use, each with its number of users and a mark if these settings cannot read it. */
const schemesText = (schemes: Schemes, isReadable: (scheme: string) => boolean): string => {
  const all = [...schemes]
  const others = usersOf(all.slice(MAX_SCHEMES))
  const each = all.slice(0, MAX_SCHEMES).map(([scheme, { users }]) => {
    if (scheme === '') return `unlabelled (${users})`
    return isReadable(scheme) ? `${scheme} (${users})` : `${scheme} (${users}, unreadable here)`
  })
  if (others > 0) each.push(`others (${others})`)
  return each.length === 0 ? '' : ` Schemes: ${each.sort().join('; ')}.`
}

/** The schemes that the detail lists. It counts the others together. */
const MAX_SCHEMES = 20

type Costly = Readonly<{ scheme: string; record: string; ms: number; users: number }>

/** The scheme that takes longest to verify, among those that this hasher can read. */
const slowestOf = (schemes: Schemes, { verifyMs }: PasswordHasher): Costly | undefined => {
  let slowest: Costly | undefined
  for (const [scheme, inUse] of schemes) {
    const ms = verifyMs(some(scheme))
    if (isSome(ms) && ms.value > (slowest?.ms ?? 0)) slowest = { scheme, ms: ms.value, ...inUse }
  }
  return slowest
}

/** What the slowest scheme costs on this machine, if it is noticeable. */
const slowestText = async (slowest: Costly | undefined, hasher: PasswordHasher): Promise<string> => {
  const newRecordMs = getOrElse(() => 0)(hasher.verifyMs(none))
  if (slowest === undefined || slowest.ms < newRecordMs + NOTICEABLE_MS) return ''
  const { scheme, record, users } = slowest
  // The hasher measures it. After a failure the estimate remains.
  await hasher.verify('a password to measure', some(record), { share: SHARE_OF_COMMANDS })()
  const seconds = (failedSignInMs([scheme], hasher) / 1000).toFixed(1)
  return ` The slowest scheme is ${scheme}, of ${users === 1 ? '1 user' : `${users} users`}. Because of it, every failed sign-in takes at least ${seconds} s. This ends when these users have signed in or recovered.`
}

const NOTICEABLE_MS = 50

/** Whether this machine can hash, and whether a hash costs enough. */
export const hashingFinding = async (
  { passwordHasher, settings: { scrypt, hashing } }: Operations,
  haveHasher: boolean,
): Promise<Finding> => {
  const startedAt = performance.now()
  const hashed = await passwordHasher.hash('a password to measure', { share: SHARE_OF_COMMANDS })()
  if (isLeft(hashed))
    return {
      name: 'hashing',
      ok: false,
      detail: 'A hash failed: the machine lacks memory, or it is overloaded.',
    }
  const milliseconds = Math.max(1, Math.round(performance.now() - startedAt))
  if (haveHasher) return { name: 'hashing', ok: true, detail: `A hash takes ${milliseconds} ms.` }
  const perSecond = Math.round((hashing.concurrency * 1000) / milliseconds)
  const detail = `A hash takes ${milliseconds} ms, so about ${perSecond} sign-ins per second are possible.`
  return isCheaperThanRecommended(scrypt)
    ? {
        name: 'hashing',
        ok: false,
        detail: `${detail} It costs less than OWASP recommends: raise SCRYPT_LOG_N, SCRYPT_R or SCRYPT_P.`,
      }
    : { name: 'hashing', ok: true, detail }
}
