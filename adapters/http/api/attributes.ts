import { pipe } from 'fp-ts/lib/function.js'
import { mapWithIndex } from 'fp-ts/lib/Record.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { ATTRIBUTE_TEXTS } from '../../../application/accounts/attribute-texts.ts'
import type {
  ChangeAttributes,
  ChangeOwnAttributes,
} from '../../../application/accounts/change-attributes.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import {
  ATTRIBUTES_CODES,
  type Attribute,
  type AttributeProblem,
  type AttributesProblem,
  MAX_METADATA_BYTES,
  MAX_METADATA_MEMBERS,
  MAX_METADATA_TEXT,
  type UserAttributesProblem,
} from '../../../domain/attributes.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields, withValues } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { object, type Schema } from '../operation/schema.ts'
import { USER_ID_CODES } from './manage-users.ts'
import { item } from './new-password.ts'

type Dependencies = Readonly<{
  authenticate: Authenticate
  changeOwnAttributes: ChangeOwnAttributes
  changeAttributes: ChangeAttributes
}>

/** The routes that change the attributes of a user: by the user, and by an application (docs/attributes.md). */
export const attributesRoutes = ({
  authenticate,
  changeOwnAttributes,
  changeAttributes,
}: Dependencies): ReadonlyArray<Route> => [
  {
    path: '/api/v1/profile/attributes',
    methods: {
      POST: operation(
        {
          id: 'changeOwnAttributes',
          tag: 'Profile',
          summary: 'Change own attributes',
          details: MERGE,
          access: byToken(authenticate, 'changeOwnAttributes'),
          body: { ...PATCH, needsOneField: true },
          successes: SUCCESSES,
          codes: CODES,
          failures: ['Overloaded'],
          examples: [
            ...examplesOf({}),
            { summary: 'No fields', fields: {}, problems: ['AttributesMissing'] },
          ],
        },
        ({ caller, fields, context }) => pipe(changeOwnAttributes(context, caller, fields), TE.map(ok)),
      ),
    },
  },
  {
    path: '/api/v1/users/attributes',
    methods: {
      POST: operation(
        {
          id: 'changeUserAttributes',
          tag: 'Users',
          summary: 'Change attributes of a user',
          details: MERGE,
          access: byToken(authenticate, 'changeAttributes'),
          body: PATCH_OF_USER,
          successes: SUCCESSES,
          codes: CODES_OF_USER,
          failures: ['Overloaded'],
          examples: [
            ...examplesOf({ user_id: EXAMPLE.userId }),
            {
              summary: 'An unknown or removed user, and no attribute',
              fields: { user_id: EXAMPLE.noUserId },
              problems: ['UserUnknown', 'AttributesMissing'],
            },
            { summary: 'No fields', fields: {}, problems: ['UserIdMissing', 'AttributesMissing'] },
          ],
        },
        ({ caller, fields: { user_id: userId, ...patch }, context }) =>
          pipe(
            changeAttributes(context, { userId, patch }, { kind: 'application', id: caller.application.id }),
            TE.map(ok),
          ),
      ),
    },
  },
]

const MERGE =
  'A merge (RFC 7396): absent attributes stay, and `null` or an empty string removes one, also inside `metadata`. Unlike in other operations, a value of another type is malformed, not absent.'

const ABOUT = {
  name: 'The full name: 1 to 100 printable characters.',
  given_name: 'The given name: 1 to 100 printable characters.',
  family_name: 'The family name: 1 to 100 printable characters.',
  picture:
    'The `https` URL of a picture: at most 1,000 printable ASCII characters. The server never fetches it.',
  locale: 'The language, in the form of BCP 47: `de-CH`. At most 35 characters.',
  zoneinfo: 'The time zone, such as `Europe/Zurich`: 1 to 64 letters, digits, `_`, `+`, `/` or `-`.',
  metadata: `What applications keep beside the user: at most ${MAX_METADATA_MEMBERS} members and ${MAX_METADATA_BYTES} bytes. A name is a letter and at most 39 letters, digits or \`_\`, in lower case. A value is a boolean, a number, or a text of at most ${MAX_METADATA_TEXT} characters.`,
} as const satisfies Record<Attribute, string>

const { metadata: ABOUT_METADATA, ...ABOUT_TEXTS } = ABOUT

const textsOf = (type: 'string' | ['string', 'null']): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries(ABOUT_TEXTS).map(([name, description]) => [name, { type, description } as Schema]),
  )

/** The attributes in an answer. One that is not set is absent. */
export const ATTRIBUTES_MEMBERS: Readonly<Record<string, Schema>> = {
  ...textsOf('string'),
  metadata: {
    type: 'object',
    description: ABOUT_METADATA,
    additionalProperties: { type: ['string', 'number', 'boolean'] },
  },
}

const PATCH_MEMBERS = {
  ...textsOf(['string', 'null']),
  metadata: {
    type: ['object', 'null'],
    description: ABOUT_METADATA,
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
    examples: [EXAMPLE.attributes.metadata],
  },
} as Record<Attribute, Schema> // `textsOf` has each text

const PATCH = withValues(jsonFields({}), PATCH_MEMBERS)

const PATCH_OF_USER = withValues(
  jsonFields({ user_id: { description: 'The permanent id of the user.', example: EXAMPLE.userId } }),
  PATCH_MEMBERS,
)

const SUCCESSES = [
  {
    status: 200,
    description: 'All attributes that are set.',
    body: object({}, undefined, ATTRIBUTES_MEMBERS),
  },
]

/** @param first the code of the first problem */
const codesFrom = (first: number): Codes<AttributesProblem> => {
  const at = (problem: AttributesProblem) => ATTRIBUTES_CODES[problem] + first - 1
  return {
    ...mapWithIndex((problem: AttributeProblem, [param, predicate]: readonly [string, string]) =>
      item(at(problem), param, predicate),
    )(ATTRIBUTE_TEXTS),
    AttributesMissing: {
      code: at('AttributesMissing'),
      param: 'name',
      message: 'The request has no attribute.',
    },
  }
}

const CODES = codesFrom(1)

const CODES_OF_USER: Codes<UserAttributesProblem> = { ...USER_ID_CODES, ...codesFrom(3) }

const examplesOf = (user: Readonly<Record<string, string>>) =>
  [
    {
      summary: 'Some attributes, and no picture',
      fields: { ...user, ...EXAMPLE.attributes, picture: null },
      status: 200,
      body: EXAMPLE.attributes,
    },
    {
      summary: 'Two malformed attributes',
      fields: { ...user, locale: 'german!', metadata: { 'shoe size': 38 } },
      problems: ['LocaleMalformed', 'MetadataMalformed'],
    },
  ] as const
