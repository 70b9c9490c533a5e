import type Database from 'better-sqlite3'
import type { ModelTally } from '../../../application/ports/read-model.ts'

/**
 * Counts by hour, kept beside the rows: an hour may have a million of them. Refusals are counted from their own table, because a summary
 * counts more than one. Entries that are no refusal have no reason.
 */
export const COUNT_TABLES = `
  CREATE TABLE counts (
    hour INTEGER NOT NULL,
    type TEXT NOT NULL,
    is_refusal INTEGER NOT NULL,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (hour, type, is_refusal, reason)
  ) WITHOUT ROWID;
  CREATE TRIGGER counts_none AFTER UPDATE ON counts WHEN NEW.count = 0 BEGIN
    DELETE FROM counts
      WHERE hour = NEW.hour AND type = NEW.type AND is_refusal = NEW.is_refusal AND reason = NEW.reason;
  END;`

/** Positions above `after` and up to `through`, without some. */
type Range = Readonly<{ after: number; through: number; without?: ReadonlyArray<number> }>

/** Counts the rows of a range: 1 after they were added, -1 before they are removed. */
export const countRows = (
  db: Database.Database,
  sign: 1 | -1,
  { after, through, without = [] }: Range,
): void => {
  db.prepare(COUNT).run({ sign, after, through, without: JSON.stringify(without) })
}

const IN_RANGE = `position > @after AND position <= @through
  AND position NOT IN (SELECT value FROM json_each(@without))`

const COUNT = `
  INSERT INTO counts
  SELECT at - at % 3600000, type, 0, '', @sign * count(*) FROM entries
    WHERE ${IN_RANGE} AND NOT EXISTS (SELECT 1 FROM refusals WHERE refusals.position = entries.position)
    GROUP BY 1, 2
  UNION ALL
  SELECT at - at % 3600000, type, 1, reason, @sign * sum(count) FROM refusals WHERE ${IN_RANGE}
    GROUP BY 1, 2, 4
  ON CONFLICT DO UPDATE SET count = count + excluded.count`

/** Sums the counts of a time. */
export const tally = (
  db: Database.Database,
  span: Readonly<{ since: number; until: number }>,
): ModelTally => ({
  hours: db.prepare(HOURS).all(span) as Array<ModelTally['hours'][number]>,
  reasons: db.prepare(REASONS).all(span) as Array<ModelTally['reasons'][number]>,
})

const HOURS = `
  SELECT hour, type, sum(count) AS count FROM counts WHERE hour >= @since AND hour < @until
  GROUP BY 1, 2 ORDER BY 1, 2`

const REASONS = `
  SELECT type, reason, sum(count) AS count FROM counts WHERE hour >= @since AND hour < @until AND is_refusal = 1
  GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2`
