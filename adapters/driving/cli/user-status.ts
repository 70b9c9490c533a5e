import { NO_REQUEST } from '../../../application/recording/recorder.ts'
import type { UserUnknown } from '../../../application/recording/user-by-email.ts'
import { orRefuse, withOperations } from './operations.ts'
import { printOne } from './print.ts'
import type { Terminal } from './terminal.ts'

/** `portcullis user disable`, `enable` and `remove` */
export const userStatus = (
  terminal: Terminal,
  what: 'disable' | 'enable' | 'remove',
  email: string,
  { json }: { json: boolean },
): Promise<void> =>
  withOperations(terminal, async ({ disableUser, enableUser, removeUser }) => {
    const act = { disable: disableUser, enable: enableUser, remove: removeUser }[what]
    const user = await orRefuse(act(NO_REQUEST, email), (_: UserUnknown) => USER_UNKNOWN)
    printOne(terminal, json, user, DONE[what])
  })

const DONE = {
  disable: 'Disabled: no sign-in any more, and every session has ended.',
  enable: 'Enabled: the user can sign in. Sessions from before stay ended.',
  remove: 'Removed: no sign-in, no session, and the e-mail may be registered again.',
} as const

export const USER_UNKNOWN = 'No user has this e-mail. See: portcullis user list'
