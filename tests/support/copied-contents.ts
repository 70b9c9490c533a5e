import type { Contents } from './store-kind.ts'

const COMPARED = ['log', 'users', 'sessions', 'applications', 'keys', 'revoked_tokens'] as const

/** What a copy in another product has in common with its source: PostgreSQL reads large numbers as text. */
export const inCommon = (contents: Contents): unknown =>
  COMPARED.map((table) =>
    contents[table].map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
      ),
    ),
  )
