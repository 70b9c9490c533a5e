import type { UserQuery } from '../../../application/ports/user-query.ts'
import type { Columns } from '../records/rows.ts'
import { byCodePoint, byId } from './order.ts'

/** Returns the rows of a list of users. */
export const listedUsers = (
  users: ReadonlyMap<string, Columns>,
  { status, role, emailPrefix, namePrefix, after, afterId = '', limit }: UserQuery,
): ReadonlyArray<Columns> => {
  const key = orderKey({ emailPrefix, namePrefix })
  const order = (one: Columns, other: Columns) =>
    byCodePoint(String(one[key]), String(other[key])) || byId(one, other)
  const last = { [key]: after, id: key === 'name_key' ? afterId : after }
  const isBehind = (row: Columns) =>
    key === 'name_key' ? order(row, last) > 0 : byCodePoint(String(row[key]), after) > 0
  return [...users.values()]
    .filter((row) => row.status !== 'removed' && (status === undefined || row.status === status))
    .filter((row) => role === undefined || String(row.roles).split(' ').includes(role))
    .filter((row) => String(row[key]).startsWith(emailPrefix ?? namePrefix ?? ''))
    .filter(isBehind)
    .sort(order)
    .slice(0, Math.max(0, limit))
}

const orderKey = ({
  emailPrefix,
  namePrefix,
}: Partial<Record<'emailPrefix' | 'namePrefix', string | undefined>>) => {
  if (emailPrefix !== undefined) return 'email_key'
  return namePrefix === undefined ? 'id' : 'name_key'
}
