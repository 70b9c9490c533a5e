import type { CommandContext } from './command-context.ts'
import { runOrFail, withOperations } from './operations.ts'
import { printRecord } from './print.ts'
import { userUnknown } from './user-unknown.ts'

/** `portcullis user disable`, `enable`, `remove` and `end-sessions` */
export const userManage = (
  context: CommandContext,
  action: keyof typeof NOTES,
  { user, json }: { user: string; json: boolean },
): Promise<void> =>
  withOperations(context, async ({ disableUser, enableUser, removeUser, endUserSessions }, asOperator) => {
    const change = {
      disable: disableUser,
      enable: enableUser,
      remove: removeUser,
      'end-sessions': endUserSessions,
    }[action]
    const record = await runOrFail(change(asOperator, user), userUnknown)
    printRecord(context, { json, record, note: NOTES[action] })
  })

const NOTES = {
  disable: 'Disabled: sign-in is blocked, and all sessions have ended.',
  enable: 'Enabled: the user can sign in again. Ended sessions stay ended.',
  remove: 'Removed: all sessions have ended, and the e-mail can be registered again.',
  'end-sessions': 'All sessions of the user have ended.',
} as const
