import { isNonEmpty } from 'fp-ts/lib/Array.js'
import { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import type { Option } from 'fp-ts/lib/Option.js'
import { combineFields, type Field } from './field.ts'
import { isName, nameKey } from './name.ts'
import type { User } from './user.ts'
import { type UserIdProblem, validateUserId } from './user-management.ts'

/** What a user says about itself (docs/attributes.md). It never decides access, and no token contains it. */
export type Attributes = Readonly<{ [Name in TextAttribute]?: string } & { metadata?: Metadata }>

/** What an application keeps beside a user. */
export type Metadata = Readonly<Record<string, string | number | boolean>>

type TextAttribute = keyof typeof TEXTS
export type Attribute = TextAttribute | 'metadata'

/** The problems behind the codes of docs/attributes.md. */
export type AttributesProblem = AttributeProblem | 'AttributesMissing'

/** A problem with one attribute. */
export type AttributeProblem =
  | 'NameMalformed'
  | 'GivenNameMalformed'
  | 'FamilyNameMalformed'
  | 'PictureMalformed'
  | 'LocaleMalformed'
  | 'ZoneinfoMalformed'
  | 'MetadataMalformed'
  | 'MetadataTooLarge'

/** The code of each problem of a user's own attributes. */
export const ATTRIBUTES_CODES = {
  NameMalformed: 1,
  GivenNameMalformed: 2,
  FamilyNameMalformed: 3,
  PictureMalformed: 4,
  LocaleMalformed: 5,
  ZoneinfoMalformed: 6,
  MetadataMalformed: 7,
  MetadataTooLarge: 8,
  AttributesMissing: 9,
} as const satisfies Record<AttributesProblem, number>

export const MAX_METADATA_MEMBERS = 20
export const MAX_METADATA_BYTES = 2_048
export const MAX_METADATA_TEXT = 500

type TextRule = Readonly<{ problem: AttributeProblem; isValid: (text: string) => boolean }>

const TEXTS = {
  name: { problem: 'NameMalformed', isValid: isName },
  given_name: { problem: 'GivenNameMalformed', isValid: isName },
  family_name: { problem: 'FamilyNameMalformed', isValid: isName },
  picture: { problem: 'PictureMalformed', isValid: (text) => /^https:\/\/[!-~]{1,992}$/.test(text) },
  /** The form of BCP 47. */
  locale: {
    problem: 'LocaleMalformed',
    isValid: (text) => text.length <= 35 && /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(text),
  },
  zoneinfo: { problem: 'ZoneinfoMalformed', isValid: (text) => /^[A-Za-z0-9_+/-]{1,64}$/.test(text) },
} as const satisfies Record<string, TextRule>

const TEXT_ATTRIBUTES = Object.keys(TEXTS) as ReadonlyArray<TextAttribute> // the keys of the table

/** All attributes, in the order in which they are stored and shown. */
const ATTRIBUTES: ReadonlyArray<Attribute> = [...TEXT_ATTRIBUTES, 'metadata']

/**
 * A change of attributes: a JSON merge patch (RFC 7396). An absent attribute stays. Null and '' remove it, also inside `metadata`. Every
 * other value must be valid: a value of another type does not count as absent.
 */
export type AttributesPatch = Readonly<{ [Name in Attribute]?: unknown }>

/** Returns the attributes after the change, or the problems of all of them. */
export const mergeAttributes = (
  before: Attributes,
  patch: AttributesPatch,
): Either<NonEmptyArray<AttributeProblem>, Attributes> => {
  const metadata = mergeMetadata(before.metadata, patch.metadata)
  const problems = [
    ...TEXT_ATTRIBUTES.flatMap((name) => (isPatch(name, patch[name]) ? [] : [TEXTS[name].problem])),
    ...(isLeft(metadata) ? [metadata.left] : []),
  ]
  if (isNonEmpty(problems)) return left(problems)
  const texts = TEXT_ATTRIBUTES.flatMap((name) => {
    const value = patch[name] === undefined ? before[name] : patch[name]
    return value === undefined || isRemoval(value) ? [] : [[name, value]]
  })
  const members =
    isRight(metadata) && Object.keys(metadata.right).length > 0 ? [['metadata', metadata.right]] : []
  return right(Object.fromEntries([...texts, ...members]))
}

/** The same for a request, which must name an attribute. */
export const validateAttributes = (
  before: Attributes,
  patch: AttributesPatch,
): Either<NonEmptyArray<AttributesProblem>, Attributes> =>
  ATTRIBUTES.every((name) => patch[name] === undefined)
    ? left(['AttributesMissing'])
    : mergeAttributes(before, patch)

/** The problems of a change that an application makes. */
export type UserAttributesProblem = UserIdProblem | AttributesProblem

export type UserAttributesRequest = Readonly<{ userId: Field; patch: AttributesPatch }>

const combine = combineFields<UserAttributesProblem>()

/** Returns the user, and its attributes after the change. Of an unknown user, the change is judged as the first one. */
export const validateUserAttributes = (
  { userId, patch }: UserAttributesRequest,
  user: Option<User>,
): Either<NonEmptyArray<UserAttributesProblem>, Readonly<{ user: User; attributes: Attributes }>> => {
  const found = validateUserId({ userId }, user)
  const before = isRight(found) ? attributesOf(found.right.attributes) : {}
  return combine({ user: found, attributes: validateAttributes(before, patch) })
}

const isRemoval = (value: unknown): boolean => value === null || value === ''

const isPatch = (name: TextAttribute, value: unknown): boolean =>
  value === undefined || isRemoval(value) || (typeof value === 'string' && TEXTS[name].isValid(value))

const mergeMetadata = (
  before: Metadata = {},
  patch: unknown,
): Either<'MetadataMalformed' | 'MetadataTooLarge', Metadata> => {
  if (patch === undefined) return right(before)
  if (isRemoval(patch)) return right({})
  if (!isObject(patch) || !Object.entries(patch).every(isMemberPatch)) return left('MetadataMalformed')
  const members = Object.entries({ ...before, ...patch })
    .filter(([, value]) => !isRemoval(value))
    .sort(([one], [other]) => (one < other ? -1 : 1))
  const after = Object.fromEntries(members) as Metadata // `isMemberPatch` has seen each value
  return members.length <= MAX_METADATA_MEMBERS && utf8Length(JSON.stringify(after)) <= MAX_METADATA_BYTES
    ? right(after)
    : left('MetadataTooLarge')
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Names begin with a letter, so `__proto__` is none. `constructor` is one, and a member as any other. */
const isMemberPatch = ([name, value]: readonly [string, unknown]): boolean => {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(name)) return false
  if (typeof value === 'string') return value.isWellFormed() && [...value].length <= MAX_METADATA_TEXT
  return value === null || typeof value === 'boolean' || Number.isFinite(value)
}

const utf8Length = (text: string): number => encodeURIComponent(text).replace(/%../g, ' ').length

/** Returns the names of the attributes that differ, sorted. */
export const changedAttributes = (before: Attributes, after: Attributes): ReadonlyArray<Attribute> =>
  ATTRIBUTES.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).sort()

/** Returns the attributes as the row of a user keeps them: '' without any. */
export const attributesText = (attributes: Attributes): string =>
  Object.keys(attributes).length === 0 ? '' : JSON.stringify(attributes)

/** Returns the attributes in such a text. A damaged text has none. */
export const attributesOf = (text: string): Attributes => {
  if (text === '') return {}
  const stored = parse(text)
  const attributes = isObject(stored) ? mergeAttributes({}, stored) : right({})
  return isRight(attributes) ? attributes.right : {}
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a text is one that `attributesText` returns. */
export const isAttributesText = (text: string): boolean => attributesText(attributesOf(text)) === text

/** Returns the key by which the beginning of a name is found, in the attributes of this text: '' without a name. */
export const nameKeyOf = (text: string): string => nameKey(attributesOf(text).name ?? '')
