import { namedUser } from '../../application/recording/change-user.ts'
import type { CommandContext } from './command-context.ts'
import { runOrFail, withOperations } from './operations.ts'
import { printRecord } from './print.ts'
import { userRecord } from './user-record.ts'
import { userUnknown } from './user-unknown.ts'

/** `portcullis user show` */
export const userShow = (
  context: CommandContext,
  emailOrId: string,
  { json }: { json: boolean },
): Promise<void> =>
  withOperations(context, async ({ store }) => {
    const user = await runOrFail(namedUser(store, emailOrId), userUnknown)
    printRecord(context, { json, record: userRecord(user) })
  })
