import * as t from 'io-ts'
import type { Fields, FieldType, FieldTypes } from '../../../domain/event-row.ts'
import { REFUSAL_TYPES } from '../../../domain/event-row.ts'
import { PKCE_USES } from '../../../domain/redirect-uris.ts'
import {
  APPLICATION_TOKEN_REFUSALS,
  IDENTITY_REASONS,
  REFUSAL_REASONS,
  SECOND_FACTOR_REFUSALS,
  SIGN_IN_REFUSALS,
} from '../../../domain/refusal-reasons.ts'
import { Assurance, Client, Integer, Kind, MailKindText, Purpose } from './columns.ts'

/** What the codec of the log knows of an event: the kinds of its subject, and the codec of each field of its data. */
export type Shape = Readonly<{
  kinds: ReadonlyArray<string>
  names: ReadonlyArray<string>
  codecs: ReadonlyArray<t.Mixed>
}>

export const shapeOf = ({
  subjects,
  fields,
}: Readonly<{ subjects: ReadonlyArray<string>; fields: Fields }>): Shape => ({
  kinds: subjects,
  names: Object.keys(fields).map((name) => name.replace(/\?$/, '')),
  codecs: Object.entries(fields).map(([name, type]) =>
    name.endsWith('?') ? t.union([CODECS[type], t.undefined]) : CODECS[type],
  ),
})

/** One of these texts. */
const oneOf = <Text extends string>(texts: ReadonlyArray<Text>): t.Type<Text, unknown, unknown> =>
  t.keyof(Object.fromEntries(texts.map((text) => [text, null])) as Record<Text, null>)

const CODECS: { readonly [Type in FieldType]: t.Type<FieldTypes[Type], unknown, unknown> } = {
  text: t.string,
  time: t.string,
  integer: Integer,
  flag: t.boolean,
  texts: t.readonlyArray(t.string),
  codes: t.readonlyArray(Integer),
  lifetime: t.union([Integer, t.null]),
  assurance: Assurance,
  'kind of client': Client,
  'kind of factor': Kind,
  'kind of mail': MailKindText,
  'purpose of key': Purpose,
  'use of PKCE': oneOf(PKCE_USES),
  'refusal of an application token': t.keyof(APPLICATION_TOKEN_REFUSALS),
  'refusal of a sign-in': t.keyof(SIGN_IN_REFUSALS),
  'refusal of an identity': t.keyof(IDENTITY_REASONS),
  'refusal of a second factor': t.keyof(SECOND_FACTOR_REFUSALS),
  'type of refusal': oneOf(REFUSAL_TYPES),
  'count of reasons': t.readonlyArray(t.strict({ reason: oneOf(REFUSAL_REASONS), count: Integer })),
  'count of subjects': t.readonlyArray(t.strict({ id: t.string, count: Integer })),
}
