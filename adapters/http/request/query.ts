import type * as E from 'fp-ts/lib/Either.js'
import type { Field } from '../../../domain/field.ts'
import { parseParameters } from './form.ts'
import { type MalformedRequest, malformed } from './malformed.ts'

/** The named parameters of a query. Like those of a form, they are malformed if they are repeated or have invalid escapes. */
export const readQuery = <Name extends string>(
  query: string,
  names: ReadonlyArray<Name>,
): E.Either<MalformedRequest, Readonly<Record<Name, Field>>> =>
  parseParameters(Buffer.from(query, 'latin1'), names, QUERY)

export const UNREADABLE_QUERY = malformed('The query is not percent-encoded UTF-8.')

const QUERY = { what: 'query', unreadable: UNREADABLE_QUERY } as const
