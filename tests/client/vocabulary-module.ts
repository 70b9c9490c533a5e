import { programName } from '../../adapters/client/names.ts'
import type { Route } from '../../adapters/http/operation/route.ts'
import type { Schema } from '../../adapters/http/operation/schema.ts'
import { ASSURANCES } from '../../domain/assurance.ts'
import { FACTOR_METHODS } from '../../domain/factor.ts'
import { eventTypes } from './event-types.ts'
import { eventSchema, OWN_FIELDS, placedOf } from './operations-module.ts'
import { namesOf, typeOf, without } from './schema-types.ts'

/** The source of `adapters/client/vocabulary.ts`: the words of the service that a program compares. */
export const vocabularyModule = (routes: ReadonlyArray<Route>): string =>
  [
    '// `npm run build` writes this file from the operations and the rules of the service.',
    unionType('Field', 'The fields that a problem of an operation can name.', fieldsOf(routes)),
    unionType(
      'Acr',
      'The levels of assurance (docs/assurance.md).',
      Object.values(ASSURANCES).map(({ acr }) => acr),
    ),
    unionType(
      'Amr',
      'How a user was authenticated (docs/assurance.md).',
      Object.values(ASSURANCES).flatMap(({ amr }) => amr),
    ),
    unionType(
      'FactorMethod',
      'What a user can prove in the second step of a sign-in.',
      FACTOR_METHODS.map(([, method]) => method),
    ),
    eventTypes(typeOf(without(entrySchema(routes), ['type', 'subject', 'data']), namesOf(true))),
    '',
  ].join('\n\n')

/** `second_factor` is none of the request, and a problem is of it. */
const fieldsOf = (routes: ReadonlyArray<Route>): ReadonlyArray<string> =>
  routes
    .flatMap(placedOf)
    .flatMap(({ spec }) => Object.values(spec.codes ?? {}).map(({ param }) => param))
    .filter((param) => !OWN_FIELDS.includes(param))
    .map(programName)

const entrySchema = (routes: ReadonlyArray<Route>): Schema => {
  const feed = routes.flatMap(placedOf).find(({ id }) => id === 'readFeed')
  return eventSchema(feed?.answer.schema ?? {}).properties?.data as Schema
}

const unionType = (name: string, about: string, words: ReadonlyArray<string>): string => {
  const members = [...new Set(words)].toSorted().map((word) => `\n  | ${JSON.stringify(word)}`)
  return `/** ${about} */\nexport type ${name} =${members.join('')}`
}
