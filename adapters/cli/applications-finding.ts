import { isLeft } from 'fp-ts/lib/Either.js'
import type { Finding } from '../../application/ports/inspection.ts'
import { pages } from '../../application/recording/pages.ts'
import { canTakeOver } from '../../domain/application.ts'
import type { Operations } from './composition.ts'
import { unavailableText } from './operations.ts'

/** The number of live applications, and which of them can take over accounts. That is a warning, not an error. */
export const applicationsFinding = async ({ store }: Operations): Promise<Finding> => {
  let live = 0
  const powerful: Array<string> = []
  const read = (after: string, limit: number) => store.listRows({ table: 'applications', after, limit })
  for await (const page of pages(read, '', ({ id }) => id)) {
    if (isLeft(page)) return { name: 'applications', ok: false, detail: unavailableText(page.left) }
    live += page.right.filter(({ revoked }) => !revoked).length
    powerful.push(...page.right.filter(canTakeOver).map(({ id, name }) => `${name} (${id})`))
  }
  const hidden = powerful.length - MAX_SHOWN
  const shown = [...powerful.slice(0, MAX_SHOWN), ...(hidden > 0 ? [`and ${hidden} more`] : [])].join(', ')
  const warning = powerful.length === 0 ? '' : ` Warning: ${shown} ${TAKES_OVER}`
  return { name: 'applications', ok: true, detail: `${live} can get tokens.${warning}` }
}

/** The predicate of a warning about applications with the scope `users:recover`. */
export const TAKES_OVER =
  'can take over any account (users:recover). Use a separate application for this scope.'

/** The applications that the detail lists. */
const MAX_SHOWN = 5
