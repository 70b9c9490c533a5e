/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * One sentence for each variable whose name is almost that of a setting. A start without the meant setting would be less safe
 * than it looks. The sentence hides the value, because it may be a secret.
 */
export const misspeltNames = (
  environment: Environment,
  known: ReadonlyArray<string>,
): ReadonlyArray<string> =>
  Object.entries(environment).flatMap(([name, value]) => {
    const meant =
      value === undefined || value === '' || known.includes(name) ? undefined : nearest(name, known)
    return meant === undefined ? [] : [`${name} is not a setting. Did you mean ${meant}?`]
  })

/** Shorter names are too close to names that other programs use: HOST and HOSTS, PORT and POST. */
const MIN_LENGTH = 8

/** At a distance of three, names are different words: DATABASE_PORT is not DATABASE_URL. */
const MAX_DISTANCE = 2

/** Close to ordinary words, such as OPERATION. Without this setting, a start is as safe as with it. */
const NEVER_MEANT = ['OPERATOR']

const nearest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const [best] = known
    .filter((setting) => !NEVER_MEANT.includes(setting))
    .filter(({ length }) => length >= MIN_LENGTH && Math.abs(length - name.length) <= MAX_DISTANCE)
    .map((setting) => ({ setting, steps: distance(name.toUpperCase(), setting) }))
    .filter(({ steps }) => steps <= MAX_DISTANCE)
    .sort((one, other) => one.steps - other.steps)
  return best?.setting
}

/** The optimal string alignment distance: letters inserted, deleted, replaced or swapped with their neighbour. */
export const distance = (one: string, other: string): number => {
  let beforeLast: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    ;[beforeLast, last] = [last, current]
  }
  return at(last, other.length)
}

const at = (row: ReadonlyArray<number>, column: number): number => row[column] ?? Number.POSITIVE_INFINITY
