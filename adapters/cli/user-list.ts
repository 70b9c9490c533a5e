import { isNone } from 'fp-ts/lib/Option.js'
import { findUserPage } from '../../application/accounts/search-users.ts'
import type { UserSearch } from '../../domain/user-search.ts'
import type { CommandContext } from './command-context.ts'
import { noOtherFailure, runOrFail, withOperations } from './operations.ts'
import { printRow } from './print.ts'
import { userRecord } from './user-record.ts'

/** `portcullis user list`: one per line, ascending by id, without removed users. */
export const userList = (
  context: CommandContext,
  { json, limit, ...search }: UserSearch & { limit?: number; json: boolean },
): Promise<void> =>
  withOperations(context, async ({ store }) => {
    let { after } = search
    for (let left = limit ?? Number.POSITIVE_INFINITY; left > 0; ) {
      const page = findUserPage({ store }, { ...search, after }, Math.min(left, USERS_PER_READ))
      const { users, next } = await runOrFail(page, noOtherFailure)
      for (const user of users) printRow(context, { json, record: userRecord(user) })
      if (isNone(next)) return
      after = next.value
      left -= users.length
    }
    await context.flushOut() // a reader that stopped early has not seen all users before the cursor
    context.writeErr(`Continue with --after ${after}`)
  })

const USERS_PER_READ = 1_000
