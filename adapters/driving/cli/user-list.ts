import { pages } from '../../../application/pages.ts'
import { orRefuse, unreachable, withOperations } from './operations.ts'
import { printLine } from './print.ts'
import type { Terminal } from './terminal.ts'

/** `portcullis user list`: one a line, in the order in which they were registered; who was removed is not shown. */
export const userList = (terminal: Terminal, { json }: { json: boolean }): Promise<void> =>
  withOperations(terminal, async ({ store }) => {
    const read = (after: string, limit: number) => store.listRows({ table: 'users', after, limit })
    for await (const page of pages(read, '', ({ id }) => id)) {
      for (const { id, email, status } of await orRefuse(async () => page, unreachable)) {
        if (status !== 'removed') printLine(terminal, json, { id, email, status })
      }
    }
  })
