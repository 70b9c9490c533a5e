import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { map } from 'fp-ts/lib/NonEmptyArray.js'
import { isSome } from 'fp-ts/lib/Option.js'
import type { ImportUsers, KeyEncryptionKeyMissing } from '../../application/accounts/import-users.ts'
import type { Overloaded } from '../../application/ports/failures.ts'
import type { StoreUnavailable } from '../../application/ports/store.ts'
import { isShortSecret } from '../../domain/totp-import.ts'
import type { ImportDecision } from '../../domain/user-import.ts'
import type { CommandContext } from './command-context.ts'
import { CommandFailed, EXIT } from './exit.ts'
import { haveSecrets, type ImportLine, importPages } from './import-lines.ts'
import { type ImportReport, importReport, importSentence, type ReportedLine } from './import-report.ts'
import { unavailableText, withOperations } from './operations.ts'
import { printRecord } from './print.ts'
import { refuseForeignPasswords } from './readable-passwords.ts'

/** `portcullis user import`: imports every valid line, and reports the others. */
export const userImport = (
  context: CommandContext,
  file: string,
  { dryRun, json }: { dryRun: boolean; json: boolean },
): Promise<void> => {
  const stopped = context.untilStopped()
  return withOperations(
    context,
    async (operations, asOperator) => {
      await refuseForeignPasswords(operations)
      const importUsers = dryRun ? operations.rehearseImport() : operations.importUsers
      const importPage: ImportPage = (requests) => importUsers(asOperator, requests)
      const { input, size } = await openInput(context, file)
      const hasKey = isSome(operations.keyWrapping.keyEncryptionKeyId)
      // Standard input can be read only once. There the import itself ends before the first such user.
      if (!hasKey && size !== undefined && (await hasSecrets(context, file))) {
        input.destroy()
        throw new CommandFailed(`${NO_KEY} Nothing was changed.`, EXIT.wrongSettings)
      }
      const report = await importReport(context, size)
      const interruption = await importAll({ input, stopped, importPage, report })
      report.end()
      printRecord(context, { json, record: report.counts, ...(dryRun ? { note: DRY_RUN } : {}) })
      if (report.counts.short_secrets !== undefined)
        context.writeErr(shortSecrets(report.counts.short_secrets))
      if (interruption !== undefined)
        throw new CommandFailed(
          `${interruption} ${CONTINUE}`,
          interruption === NO_KEY ? EXIT.wrongSettings : EXIT.failed,
        )
      if (report.counts.bad > 0) throw new CommandFailed(badLines(report.counts.bad))
    },
    dryRun ? 'read-only' : 'existing',
  )
}

const DRY_RUN = 'Dry run: nothing was written.'
const CONTINUE = 'To continue, run the same command again: it skips known users.'

const badLines = (count: number): string =>
  `${count} bad ${count === 1 ? 'line was' : 'lines were'} skipped. Correct them, and run the same command again: it skips known users.`

const shortSecrets = (count: number): string =>
  `${count} ${count === 1 ? 'secret of an authenticator app has' : 'secrets of authenticator apps have'} fewer than 112 bits (SP 800-63B-4). They work. Ask these users to enrol the app again.`

const NO_KEY =
  'The file has secrets of authenticator apps ("totp"), which are stored encrypted. Set KEY_ENCRYPTION_KEY to the value of the server.'

/** Returns why the import ended before the last line; undefined if it did not. */
const importAll = async ({
  input,
  stopped,
  importPage,
  report,
}: Readonly<{
  input: Readable
  stopped: Promise<void>
  importPage: ImportPage
  report: ImportReport
}>): Promise<string | undefined> => {
  let isStopped = false
  void stopped.then(() => {
    isStopped = true
    input.destroy() // it may be waiting
  })
  try {
    for await (const { lines, bytes } of importPages(input, PAGE)) {
      if (isStopped) return STOPPED
      const decided = await importLines(importPage, lines)
      if (typeof decided === 'string') return decided
      report.add(decided, bytes)
    }
  } catch (error) {
    if (!isStopped) return unreadable('The file', error)
  }
  return isStopped && !input.readableEnded ? STOPPED : undefined
}

const STOPPED = 'Stopped.'

/** `ImportUsers` by the operator who runs the command. */
type ImportPage = (requests: Parameters<ImportUsers>[1]) => ReturnType<ImportUsers>

/** All new users of a page are one change. Larger pages save little, and keep other writers waiting. */
const PAGE = 500

/** Returns what happened to each line, or why none of them was imported. */
const importLines = async (
  importPage: ImportPage,
  lines: ReadonlyArray<ImportLine>,
): Promise<ReadonlyArray<ReportedLine> | string> => {
  const requests = lines.flatMap(({ request }) => (isRight(request) ? [request.right] : []))
  const decided = await importPage(requests)()
  if (isLeft(decided)) return failureSentence(decided.left)
  const decisions = decided.right[Symbol.iterator]()
  return lines.map(({ number, request }) => ({
    number,
    ...(isLeft(request)
      ? { outcome: [request.left], ...NOTHING_SPECIAL }
      : outcomeOf(decisions.next().value as ImportDecision)),
  }))
}

const outcomeOf = (decision: ImportDecision): Omit<ReportedLine, 'number'> => {
  if (isLeft(decision)) return { outcome: map(importSentence)(decision.left), ...NOTHING_SPECIAL }
  const { user, isKnown } = decision.right
  if (isKnown) return { outcome: 'known', ...NOTHING_SPECIAL }
  return {
    outcome: 'imported',
    shortSecrets: user.totp.filter(({ secret }) => isShortSecret(secret)).length,
    hasNoPassword: user.password.record === '',
    identities: user.identities.length,
  }
}

const NOTHING_SPECIAL = { shortSecrets: 0, hasNoPassword: false, identities: 0 }

const failureSentence = (failure: KeyEncryptionKeyMissing | Overloaded | StoreUnavailable): string => {
  switch (failure._tag) {
    case 'KeyEncryptionKeyMissing':
      return NO_KEY
    case 'StoreUnavailable':
      return unavailableText(failure)
    case 'Overloaded':
      return 'Other requests register the same users at the same time.'
  }
}

/** @throws CommandFailed if the file cannot be opened */
const openInput = async (
  { folder, input }: CommandContext,
  file: string,
): Promise<Readonly<{ input: Readable; size: number | undefined }>> => {
  if (file === '-') return { input, size: undefined }
  try {
    const handle = await open(resolve(folder, file))
    const stat = await handle.stat()
    if (stat.isDirectory()) {
      await handle.close()
      throw new CommandFailed(`${file} is a folder. Name a file with one user per line.`)
    }
    return { input: handle.createReadStream(), size: stat.isFile() ? stat.size : undefined }
  } catch (error) {
    throw error instanceof CommandFailed ? error : new CommandFailed(unreadable(`The file ${file}`, error))
  }
}

/** @throws CommandFailed if the file cannot be read */
const hasSecrets = async (context: CommandContext, file: string): Promise<boolean> => {
  const { input } = await openInput(context, file)
  try {
    return await haveSecrets(input)
  } catch (error) {
    throw new CommandFailed(unreadable(`The file ${file}`, error))
  }
}

/** @throws every error that is not one of the system */
const unreadable = (what: string, error: unknown): string => {
  if (error instanceof Error && 'code' in error) return `${what} cannot be read (${error.code}).`
  throw error
}
