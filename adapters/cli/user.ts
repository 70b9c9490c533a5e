import type { Readable } from 'node:stream'
import { isRight } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { findUserPage, type ListedUser, listedUser } from '../../application/accounts/search-users.ts'
import type { SetPasswordProblem } from '../../application/accounts/set-password.ts'
import { USER_CHANGE_NOTES } from '../../application/accounts/user-change-notes.ts'
import { weaknessTexts } from '../../application/passwords/weakness-texts.ts'
import { namedUser, type UserUnknown } from '../../application/recording/change-user.ts'
import { operatorOf } from '../../application/recording/recorder.ts'
import { attributesOf } from '../../domain/attributes.ts'
import { FACTOR_KINDS } from '../../domain/factor.ts'
import type { Invalid } from '../../domain/field.ts'
import type { PasswordWeakness } from '../../domain/password-policy.ts'
import type { RegistrationProblem } from '../../domain/registration.ts'
import { MAX_ROLES, MAX_ROLES_CHARACTERS, type RolesChange } from '../../domain/roles.ts'
import {
  LISTED_STATUSES,
  type UserSearch,
  type UserSearchProblem,
  type UserSearchRequest,
  validateUserSearch,
} from '../../domain/user-search.ts'
import { textIn, withoutLineEnd } from '../config/files/text-file.ts'
import type { Settings } from '../config/settings.ts'
import type { CommandContext } from './command-context.ts'
import { CommandFailed } from './exit.ts'
import { userUnknown } from './not-found.ts'
import { noOtherFailure, runOrFail, withNewStore, withOperations, withReads } from './operations.ts'
import { listPrinter, type PrintedRecord, printRecord, rfc3339OrNull } from './print.ts'
import { refuseUnreadablePasswords } from './readable-passwords.ts'
import { quotedForShell } from './shell.ts'

/** `portcullis user create` */
export const userCreate = (
  context: CommandContext,
  {
    email,
    password: takesPassword,
    json,
    yes,
  }: { email: string; password: boolean; json: boolean; yes: boolean },
): Promise<void> =>
  withNewStore(
    context,
    { yes, asks: !takesPassword },
    async ({ registerUser, settings, ...passwords }, asOperator) => {
      if (takesPassword) await refuseUnreadablePasswords(passwords)
      const password = takesPassword ? await readPassword(context.input) : undefined
      const request = { email, password, withoutPassword: !takesPassword }
      const { id, email: registered } = await runOrFail(
        registerUser(asOperator, request, operatorOf(asOperator)),
        ({ problems }: Invalid<RegistrationProblem>) => problemsText(problems, settings),
      )
      printRecord(context, { json, record: { id, email: registered } })
    },
  )

/** `portcullis user list`: one per line, in the order of the search, without removed users. */
export const userList = (
  context: CommandContext,
  { json, limit, ...request }: UserSearchRequest & { limit?: number; json: boolean },
): Promise<void> => {
  searchOf(request) // before the store opens
  return withReads(context, async ({ store }) => {
    const print = listPrinter(context, { json })
    let { after } = request
    for (let left = limit ?? Number.POSITIVE_INFINITY; left > 0; ) {
      const page = findUserPage({ store }, searchOf({ ...request, after }), Math.min(left, USERS_PER_READ))
      const { users, next } = await runOrFail(page, noOtherFailure)
      print(users.map(userRecord))
      if (isNone(next)) return
      after = next.value
      left -= users.length
    }
    await context.flushOut() // a reader that stopped early has not seen all users before the cursor
    context.writeErr(`Continue with --after ${quotedForShell(after ?? '')}`)
  })
}

/** @throws CommandFailed if the options do not combine, or continue another list */
const searchOf = (request: UserSearchRequest): UserSearch => {
  const search = validateUserSearch(request)
  if (isRight(search)) return search.right
  throw new CommandFailed(search.left.map((problem) => SEARCH_PROBLEMS[problem]).join('\n'))
}

const SEARCH_PROBLEMS: Readonly<Record<UserSearchProblem, string>> = {
  StatusUnknown: `--status must be ${LISTED_STATUSES.join(' or ')}.`,
  ConditionsClash:
    'Of --email, --email-prefix, --name-prefix and --role give at most one, and --status with no prefix.',
  NextOfAnotherSearch: '--after is the position of another list. Give the options of that list.',
}

const USERS_PER_READ = 1_000

/** `portcullis user show` */
export const userShow = (
  context: CommandContext,
  emailOrId: string,
  { json }: { json: boolean },
): Promise<void> =>
  withReads(context, async ({ store }) => {
    const user = await runOrFail(namedUser(store, emailOrId), userUnknown)
    const factors = await runOrFail(store.listFactors(user.id), noOtherFailure)
    const kinds = FACTOR_KINDS.filter((kind) => factors.some((factor) => factor.kind === kind))
    printRecord(context, {
      json,
      record: { ...userRecord(listedUser(user)), ...attributesOf(user.attributes), factors: kinds },
    })
  })

/** `portcullis user set-password` */
export const userSetPassword = (
  context: CommandContext,
  emailOrId: string,
  { json }: { json: boolean },
): Promise<void> =>
  withOperations(context, async ({ setPassword, settings, ...passwords }, asOperator) => {
    await refuseUnreadablePasswords(passwords)
    const password = await readPassword(context.input)
    const record = await runOrFail(
      setPassword(asOperator, { user: emailOrId, password }),
      (failure: Invalid<SetPasswordProblem> | UserUnknown) =>
        failure._tag === 'Invalid' ? problemsText(failure.problems, settings) : userUnknown(failure),
    )
    printRecord(context, {
      json,
      record,
      note: 'The password is set, and all sessions of the user have ended.',
    })
  })

/** `portcullis user disable`, `enable`, `remove`, `end-sessions` and `reset-factors` */
export const userManage = (
  context: CommandContext,
  action: keyof typeof USER_CHANGE_NOTES,
  { user, json }: { user: string; json: boolean },
): Promise<void> =>
  withOperations(context, async (operations, asOperator) => {
    const change = {
      disable: operations.disableUser,
      enable: operations.enableUser,
      remove: operations.removeUser,
      'end-sessions': operations.endUserSessions,
      'reset-factors': operations.resetUserFactors,
    }[action]
    const record = await runOrFail(change(asOperator, user), userUnknown)
    printRecord(context, { json, record, note: USER_CHANGE_NOTES[action] })
  })

/** `portcullis user roles` */
export const userRoles = (
  context: CommandContext,
  emailOrId: string,
  { json, ...change }: RolesChange & { json: boolean },
): Promise<void> =>
  withOperations(context, async ({ changeUserRoles }, asOperator) => {
    const { id, email, roles, emailVerified } = await runOrFail(
      changeUserRoles(asOperator, emailOrId, change),
      (failure: Invalid<'TooManyRoles'> | UserUnknown) =>
        failure._tag === 'Invalid' ? TOO_MANY_ROLES : userUnknown(failure),
    )
    const notes = [
      ...(change.add.length + change.remove.length === 0 ? [] : [ROLES_NOTE]),
      ...(change.add.length === 0 || emailVerified ? [] : [UNVERIFIED_NOTE]),
    ]
    const note = notes.length === 0 ? {} : { note: notes.join('\n') }
    printRecord(context, { json, record: { id, email, roles }, ...note })
  })

const TOO_MANY_ROLES = `A user can have at most ${MAX_ROLES} roles, with ${MAX_ROLES_CHARACTERS} characters in all. Nothing was changed.`
const ROLES_NOTE =
  'Tokens keep the roles with which they were signed; a renewal signs these. To end all sessions: portcullis user end-sessions'

const UNVERIFIED_NOTE =
  'The e-mail of this user is not confirmed. Another person may have registered it: check the id of the user.'

/** A user as `user list` and `user show` print it. */
const userRecord = ({
  id,
  email,
  emailVerified,
  status,
  createdAtSeconds,
  passwordScheme,
  hasPassword,
  roles,
}: ListedUser): PrintedRecord => ({
  id,
  email,
  email_verified: emailVerified,
  status,
  created_at: rfc3339OrNull(createdAtSeconds),
  has_password: hasPassword,
  password_scheme: passwordScheme === '' ? null : passwordScheme,
  roles,
})

type Problem = RegistrationProblem | SetPasswordProblem

const problemsText = (problems: ReadonlyArray<Problem>, { passwordPolicy }: Settings): string => {
  const weaknesses = weaknessTexts(passwordPolicy)
  const sentence = (problem: Problem) =>
    isWeakness(problem) ? `The password ${weaknesses[problem]}` : SENTENCES[problem]
  return problems.map(sentence).join('\n')
}

const isWeakness = (problem: Problem): problem is PasswordWeakness => !(problem in SENTENCES)

const SENTENCES: Readonly<Record<Exclude<Problem, PasswordWeakness>, string>> = {
  EmailMissing: '--email is missing or empty.',
  EmailMalformed: '--email must be an e-mail address with at most 254 characters.',
  EmailTaken: 'This e-mail is already registered.',
  PasswordMissing: 'The password on standard input is empty.',
  SendConfirmationOff: 'No command mails a confirmation.',
  LanguageMalformed: 'The language is malformed.',
}

/** Standard input without a byte order mark and one line end. */
const readPassword = async (input: Readable): Promise<string> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk))
    bytes += chunk.length
    if (bytes > MAX_PASSWORD_BYTES)
      throw new CommandFailed(`The password on standard input is longer than ${MAX_PASSWORD_BYTES} bytes.`)
  }
  const text = textIn(Buffer.concat(chunks))
  if (text === undefined) throw new CommandFailed('The password on standard input is not valid UTF-8.')
  return withoutLineEnd(text)
}

/** The limit of a request body. */
const MAX_PASSWORD_BYTES = 16 * 1024
