import type { PersonNeeded } from '../../../domain/authorization.ts'

/** Where a person goes before a client gets an answer. `query` is the whole request. */
export type PageFor = (needed: PersonNeeded, query: string, hints: Hints) => string

type Hints = Readonly<{ loginHint: string | undefined; uiLocales: string | undefined }>
