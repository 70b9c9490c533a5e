import type { ModelQuery } from '../../../application/ports/read-model.ts'

/**
 * The statement that finds positions. It goes along one index: that of the user, else of the reason, else of the application, else of the
 * positions. A `+` keeps SQLite from others. Of the positions it only reads those between the first and the last of the time.
 */
export const positionsSql = ({
  filter: { since, until, user, application, types, reason },
  after,
  through,
  limit,
  isReverse,
}: ModelQuery): Readonly<{ sql: string; values: Readonly<Record<string, string | number>> }> => {
  const isByReason = reason !== undefined && user === undefined
  const position = isByReason ? 'r.position' : 'e.position'
  const isByTime = user === undefined && application === undefined && reason === undefined
  const times = [
    ...(since === undefined ? [] : ['at >= @since']),
    ...(until === undefined ? [] : ['at < @until']),
  ]
  const isBounded = isByTime && times.length > 0
  const edgeOfTime = (edge: 'min' | 'max') =>
    `(SELECT ${edge}(position) FROM entries WHERE ${times.join(' AND ')})`
  const conditions = [
    `${position} > ${isBounded ? `max(@after, ${edgeOfTime('min')} - 1)` : '@after'}`,
    `${position} <= ${isBounded ? `min(@through, ${edgeOfTime('max')})` : '@through'}`,
    ...times.map((time) => `+e.${time}`),
    ...(user === undefined ? [] : ['e.user = @user']),
    ...(application === undefined
      ? []
      : [`${user !== undefined || isByReason ? '+' : ''}e.application = @application`]),
    ...(types === undefined ? [] : ['+e.type IN (SELECT value FROM json_each(@types))']),
    ...(reason === undefined
      ? []
      : [
          isByReason
            ? 'r.reason = @reason'
            : 'EXISTS (SELECT 1 FROM refusals r WHERE r.position = e.position AND r.reason = @reason)',
        ]),
  ]
  const from = isByReason ? 'refusals r CROSS JOIN entries e ON e.position = r.position' : 'entries e'
  const values = {
    since,
    until,
    user,
    application,
    reason,
    after,
    through,
    limit,
    types: types && JSON.stringify(types),
  }
  return {
    sql: `SELECT ${position} FROM ${from} WHERE ${conditions.join(' AND ')} ORDER BY ${position} ${isReverse ? 'DESC' : 'ASC'} LIMIT @limit`,
    values: Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  }
}
