import type { ModelQuery } from '../../../application/ports/read-model.ts'

type Statement = Readonly<{ sql: string; values: Readonly<Record<string, string | number>> }>

/** The statement that finds the first and the last position of the time of a filter; undefined if it has no time. */
export const edgesSql = ({ since, until }: ModelQuery['filter']): Statement | undefined => {
  const times = timesOf({ since, until })
  return times.length === 0
    ? undefined
    : {
        sql: `SELECT min(position) AS first, max(position) AS last FROM entries WHERE ${times.join(' AND ')}`,
        values: defined({ since, until }),
      }
}

const timesOf = ({ since, until }: ModelQuery['filter']): ReadonlyArray<string> => [
  ...(since === undefined ? [] : ['at >= @since']),
  ...(until === undefined ? [] : ['at < @until']),
]

/**
 * The statement that finds positions. It goes along one index: that of the user, else of the reason, else of the application, else of
 * each type, else of the positions. A `+` keeps SQLite from others.
 */
export const positionsSql = ({ filter, after, through, limit, isReverse }: ModelQuery): Statement => {
  const { since, until, user, application, types, reason } = filter
  const isByReason = reason !== undefined && user === undefined
  const isByType = types !== undefined && user === undefined && application === undefined && !isByReason
  const position = isByReason ? 'r.position' : 'e.position'
  const conditions = [
    `${position} > @after AND ${position} <= @through`,
    ...timesOf(filter).map((time) => `+e.${time}`),
    ...(user === undefined ? [] : ['e.user = @user']),
    ...(application === undefined
      ? []
      : [`${user !== undefined || isByReason ? '+' : ''}e.application = @application`]),
    ...(types === undefined || isByType ? [] : ['+e.type IN (SELECT value FROM json_each(@types))']),
    ...(reason === undefined
      ? []
      : [
          isByReason
            ? 'r.reason = @reason'
            : 'EXISTS (SELECT 1 FROM refusals r WHERE r.position = e.position AND r.reason = @reason)',
        ]),
  ]
  const from = isByReason ? 'refusals r CROSS JOIN entries e ON e.position = r.position' : 'entries e'
  const select = (more: ReadonlyArray<string>) =>
    `SELECT ${position} FROM ${from} WHERE ${[...conditions, ...more].join(' AND ')}`
  // SQLite merges the selects, each in the order of the index. Of one select with IN it would sort all rows.
  const byType = isByType ? Object.entries([...new Set(types)]) : []
  const selects = byType.map(([index]) => select([`e.type = @type${index}`]))
  return {
    sql: `${selects.join(' UNION ALL ') || select([])} ORDER BY 1 ${isReverse ? 'DESC' : 'ASC'} LIMIT @limit`,
    values: defined({
      since,
      until,
      user,
      application,
      reason,
      after,
      through,
      limit,
      types: isByType ? undefined : types && JSON.stringify(types),
      ...Object.fromEntries(byType.map(([index, type]) => [`type${index}`, type])),
    }),
  }
}

const defined = (
  values: Readonly<Record<string, string | number | undefined>>,
): Readonly<Record<string, string | number>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
