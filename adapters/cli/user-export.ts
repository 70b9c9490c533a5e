import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { isRight, left } from 'fp-ts/lib/Either.js'
import type {
  ExportedPasskey,
  ExportedUser,
  ExportFailure,
  ExportStep,
  ExportUsers,
  FactorDamaged,
} from '../../application/accounts/export-users.ts'
import { attributesOf } from '../../domain/attributes.ts'
import { parseScryptScheme } from '../../domain/scrypt-scheme.ts'
import { hasPassword, type User } from '../../domain/user.ts'
import type { ImportRequest } from '../../domain/user-import.ts'
import type { CommandContext } from './command-context.ts'
import { CommandFailed, EXIT } from './exit.ts'
import { noOtherFailure, runOrFail, unavailableText, withOperations } from './operations.ts'
import { printRecord, rfc3339OrNull } from './print.ts'
import { printableOnLine } from './printable.ts'
import { type PrivateFile, privateFile } from './private-file.ts'
import { stopNote } from './stop-note.ts'

/** `portcullis user export`: writes every user with its password record into a new file. */
export const userExport = (
  context: CommandContext,
  file: string,
  { json }: { json: boolean },
): Promise<void> => {
  const stopping = stopNote(context)
  return withOperations(context, async ({ exportUsers }, asOperator) => {
    const path = resolve(context.folder, file)
    const target = await privateFile(path)
    try {
      const { users, apps, warnings } = await exportInto(target, exportUsers(asOperator), {
        context,
        stopping,
      })
      const note = `The file contains every password record${apps === 0 ? '' : OF_APPS}. ${KEEP_SECRET}`
      printRecord(context, { json, record: { file: path, users }, note })
      for (const warning of warnings) context.writeErr(warning)
    } finally {
      await target.discard()
    }
  })
}

const OF_APPS = ', and the secrets of authenticator apps'
const KEEP_SECRET = 'Keep it secret, and delete it after use.'

type Circumstances = Readonly<{ context: CommandContext; stopping: Readonly<{ isStopped: boolean }> }>

/** @throws CommandFailed with a sentence that says whether the log has the entry */
const exportInto = async (
  target: PrivateFile,
  steps: ReturnType<ExportUsers>,
  { context: { terminal }, stopping }: Circumstances,
): Promise<Readonly<{ users: number; apps: number; warnings: ReadonlyArray<string> }>> => {
  const bar = terminal && (await exportProgress(terminal))
  const records = recordCounts()
  let isNoted = false
  try {
    for await (const step of steps) {
      const done = isRight(step) ? step.right : await failWith(step.left, isNoted)
      if (stopping.isStopped) throw new CommandFailed(isNoted ? 'Stopped.' : 'Stopped. Nothing was changed.')
      bar?.show(done)
      if (done._tag === 'Noted') isNoted = true
      if (done._tag !== 'Read') continue
      await target.append(done.users.map(lineOf).join(''))
      for (const user of done.users) records.add(user)
    }
    await target.publish()
    return { users: records.users(), apps: records.apps(), warnings: records.warnings() }
  } catch (error) {
    if (!(error instanceof CommandFailed) || !isNoted) throw error
    throw new CommandFailed(`${error.message} ${NOTED}`, error.status)
  } finally {
    bar?.stop()
  }
}

/** @throws CommandFailed always */
const failWith = (failure: ExportFailure, isNoted: boolean): Promise<never> => {
  if (failure._tag === 'SecretUnreadable') {
    const { userId, reason } = failure
    const sentence = printableOnLine(
      `User ${userId}: ${reason}. Set KEY_ENCRYPTION_KEY to its earlier value. If that is lost, reset the factors of this user: portcullis user reset-factors ${userId}.`,
    )
    throw new CommandFailed(isNoted ? sentence : `${sentence} Nothing was changed.`, EXIT.wrongSettings)
  }
  if (failure._tag !== 'StoreUnavailable') {
    const sentence = printableOnLine(damagedText(failure))
    throw new CommandFailed(isNoted ? sentence : `${sentence} Nothing was changed.`)
  }
  if (isNoted) throw new CommandFailed(unavailableText(failure))
  return runOrFail(async () => left(failure), noOtherFailure)
}

/** A reset of factors leaves identities. */
const damagedText = ({ _tag, userId, factorId }: FactorDamaged): string =>
  _tag === 'PasskeyDamaged'
    ? `User ${userId}: passkey ${factorId} is damaged. Reset the factors of this user: portcullis user reset-factors ${userId}.`
    : `User ${userId}: identity ${factorId} is damaged. Restore the row from a back-up, or let the user remove it.`

const NOTED = 'No file was made. The log has an entry UsersExported, because the export had begun.'

/** A line as `user import` takes it. */
const lineOf = ({ user, totp, passkeys, identities }: ExportedUser): string =>
  `${JSON.stringify({
    ...membersOf(user),
    ...(totp.length === 0 ? {} : { totp }),
    ...(passkeys.length === 0 ? {} : { passkeys: passkeys.map(passkeyMember) }),
    ...(identities.length === 0 ? {} : { identities }),
  })}\n`

/**
 * A new field of a user does not compile before it has a member here that an import knows, or is named among those that the importing
 * service makes anew.
 */
const membersOf = (user: User) => {
  const { email, passwordRecord, id, emailVerified, createdAtSeconds, status, roles, attributes, ...others } =
    user
  const {
    passwordScheme,
    emailVersion,
    passwordVersion,
    sessionsVersion,
    allEndedVersion,
    version,
    ...forgotten
  } = others
  forgotten satisfies Record<string, never>
  return {
    email,
    password_hash: hasPassword(user) ? passwordRecord : null,
    id,
    email_verified: emailVerified,
    created_at: rfc3339OrNull(createdAtSeconds),
    status,
    ...(roles.length === 0 ? {} : { roles }),
    ...attributesOf(attributes),
  } satisfies ImportRequest
}

const passkeyMember = (passkey: ExportedPasskey) => ({
  name: passkey.name,
  credential_id: passkey.credentialId,
  public_key: passkey.publicKey,
  rp_id: passkey.rpId,
  counter: passkey.counter,
  verifies_user: passkey.verifiesUser,
  backup_eligible: passkey.backupEligible,
  backed_up: passkey.backedUp,
  transports: passkey.transports,
})

/** Counts the exported users, and those whose records need something. */
const recordCounts = () => {
  const byPepper = new Map<string, number>()
  let users = 0
  let apps = 0
  let refused = 0
  return {
    add: ({ scheme, totp }: ExportedUser): void => {
      users += 1
      apps += totp.length
      if (scheme === undefined) refused += 1
      const pepperId = scheme === undefined ? '' : (parseScryptScheme(scheme)?.pepperId ?? '')
      if (pepperId !== '') byPepper.set(pepperId, (byPepper.get(pepperId) ?? 0) + 1)
    },
    users: () => users,
    apps: () => apps,
    warnings: (): ReadonlyArray<string> => [
      ...[...byPepper].map(
        ([id, count]) =>
          `${recordsText(count)} of use only with the pepper ${id}: PASSWORD_PEPPER of the importing service must contain it.`,
      ),
      ...(refused === 0
        ? []
        : [`${recordsText(refused)} refused by user import. See docs/import.md, Leave.`]),
    ],
  }
}

const recordsText = (count: number): string => (count === 1 ? '1 record is' : `${count} records are`)

/** The progress of an export. It counts first, so its size is unknown until then. */
const exportProgress = async (terminal: Writable) => {
  const { progressBar } = await import('./progress-bar.ts') // loaded only if it is shown
  const bar = progressBar(terminal, { format: '{bar} {percentage}% | {doing} | {users} users', isKept: true })
  let written = 0
  bar.begin(1, { doing: 'counting', users: 0 })
  return {
    show: (step: ExportStep): void => {
      if (step._tag === 'Counted') bar.advance(0, { doing: 'counting', users: step.users })
      if (step._tag === 'Noted') bar.begin(Math.max(1, step.users), { doing: 'writing', users: 0 })
      if (step._tag !== 'Read') return
      written += step.users.length
      bar.advance(step.users.length, { doing: 'writing', users: written })
    },
    stop: bar.stop,
  }
}
