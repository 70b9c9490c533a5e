/** A record that is not in the store yet. */
export type Unwritten<T> = Omit<T, 'version'>

/** The record as its first row. */
export const inserted = <T extends object>(record: T): T & { version: number } => ({ ...record, version: 1 })

/** The record as the row that follows the one it was read from. */
export const updated = <T extends { version: number }>(record: T): T => ({
  ...record,
  version: record.version + 1,
})
