import type { UserUnknown } from '../../application/user-by-email.ts'
import { OPERATOR_CALL, orRefuse, withOperations } from './operations.ts'
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
    printOne(terminal, json, await orRefuse(act(OPERATOR_CALL, email), (_: UserUnknown) => USER_UNKNOWN))
  })

export const USER_UNKNOWN = 'No user has this e-mail. See: portcullis user list'
