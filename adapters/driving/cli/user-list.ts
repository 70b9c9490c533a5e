import { pages } from '../../../application/pages.ts'
import type { CommandContext } from './command-context.ts'
import { noOtherFailure, runOrFail, withOperations } from './operations.ts'
import { printRow } from './print.ts'

/** `portcullis user list`: one per line, oldest first, without removed users. */
export const userList = (context: CommandContext, { json }: { json: boolean }): Promise<void> =>
  withOperations(context, async ({ store }) => {
    const read = (after: string, limit: number) => store.listRows({ table: 'users', after, limit })
    for await (const page of pages(read, '', ({ id }) => id)) {
      for (const { id, email, status } of await runOrFail(async () => page, noOtherFailure)) {
        if (status !== 'removed') printRow(context, { json, record: { id, email, status } })
      }
    }
  })
