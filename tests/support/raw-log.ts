import { contents } from '../sqlite/raw.ts'

/** What the log of a store file says of one type of event, read past the command line, which has tests of its own. */
export const rawLog = (database: string, type: string) =>
  (contents(database).log as ReadonlyArray<Record<string, string | null>>)
    .filter((entry) => entry.type === type)
    .map(({ subject_kind, subject_id, actor_kind, actor_id, data }) => ({
      subject: { kind: subject_kind, id: subject_id },
      actor: { kind: actor_kind, ...(actor_id === null ? {} : { id: actor_id }) },
      data: JSON.parse(data ?? ''),
    }))
