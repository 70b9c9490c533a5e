import type { UserUnknown } from '../../../application/recording/user-by-email.ts'
import type { CommandContext } from './command-context.ts'
import { runOrFail, withOperations } from './operations.ts'
import { printRecord } from './print.ts'

/** `portcullis user disable`, `enable` and `remove` */
export const userStatus = (
  context: CommandContext,
  action: 'disable' | 'enable' | 'remove',
  { email, json }: { email: string; json: boolean },
): Promise<void> =>
  withOperations(context, async ({ disableUser, enableUser, removeUser }, asOperator) => {
    const change = { disable: disableUser, enable: enableUser, remove: removeUser }[action]
    const record = await runOrFail(change(asOperator, email), (_: UserUnknown) => USER_UNKNOWN)
    printRecord(context, { json, record, note: NOTES[action] })
  })

const NOTES = {
  disable: 'Disabled: sign-in is blocked, and all sessions have ended.',
  enable: 'Enabled: the user can sign in again. Ended sessions stay ended.',
  remove: 'Removed: all sessions have ended, and the e-mail can be registered again.',
} as const

export const USER_UNKNOWN = 'No user has this e-mail. See: portcullis user list'
