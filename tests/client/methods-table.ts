import type { Route } from '../../adapters/http/operation/route.ts'
import { type Placed, placedOf } from './operations-module.ts'
import { namesOf } from './schema-types.ts'

/** The tables of docs/client-methods.md: the methods of the client, and those of a user. */
const methodsTables = (routes: ReadonlyArray<Route>): Readonly<{ application: string; user: string }> => {
  const all = routes.flatMap(placedOf).toSorted((one, other) => one.id.localeCompare(other.id))
  const ofUser = all.filter(({ token }) => token === 'user')
  const others = all.filter(({ token }) => token !== 'user')
  return {
    application: table(['method', 'fields', 'scope', 'does'], others.map(applicationRow)),
    user: table(['method', 'fields', 'does'], ofUser.map(userRow)),
  }
}

const applicationRow = (placed: Placed): ReadonlyArray<string> => {
  const { required } = placed.spec.access
  const scope = required?.kind === 'application' ? `\`${required.scope}\`` : ''
  return [`\`${placed.id}\``, fieldsOf(placed), scope, placed.spec.summary]
}

const userRow = (placed: Placed): ReadonlyArray<string> => [
  `\`${placed.id}\``,
  fieldsOf(placed),
  placed.spec.summary,
]

/** The fields as a program names them. Those that may be absent have a question mark. */
const fieldsOf = ({ input }: Placed): string =>
  Object.keys(input?.properties ?? {})
    .map((name) => `\`${namesOf(false)(name)}${input?.required?.includes(name) ? '' : '?'}\``)
    .join(', ')

export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const line = (cells: ReadonlyArray<string>): string =>
    `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

/** The page with these tables in place of its own. */
export const withMethods = (page: string, routes: ReadonlyArray<Route>): string => {
  const { application, user } = methodsTables(routes)
  const put = (text: string, heading: string, rows: string): string =>
    text.replace(
      new RegExp(`(\\n## ${heading}\\n[^|]*)(?:\\|.*\\n)+`),
      (_, before: string) => `${before}${rows}\n`,
    )
  return put(put(page, 'Methods of an application', application), 'Methods of a user', user)
}
