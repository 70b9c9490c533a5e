import type { Operation, Reason } from '../../adapters/client/results.ts'
import type { OperationSpec } from '../../adapters/http/operation/operation.ts'
import type { Method, Route } from '../../adapters/http/operation/route.ts'
import type { Schema } from '../../adapters/http/operation/schema.ts'
import { reasonOf } from './reasons.ts'
import { namesOf, typeOf, without } from './schema-types.ts'

/** The path part of the public URL of the service that describes its operations. */
export const PREFIX = '/prefix'

/** The source of `adapters/client/operations.ts`: what each operation takes and answers, and how it is called. */
export const operationsModule = (routes: ReadonlyArray<Route>): string => {
  const all = routes.flatMap(placedOf).toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const ofUser = all.filter(({ token }) => token === 'user')
  const others = all.filter(({ token }) => token !== 'user')
  return [
    '// `npm run build` writes this file from the operations of the service.',
    "import type { Operation, Options, Result, SecondFactorDue, UserResult } from './results.ts'",
    "import type { Acr, Amr, EventType, LogEntry } from './vocabulary.ts'",
    ...all.flatMap(typesOf),
    methodsType(
      'ApplicationMethods',
      'The operations of an application, by `operationId`.',
      'Result',
      others,
    ),
    methodsType('UserMethods', 'The operations of a signed-in user, by `operationId`.', 'UserResult', ofUser),
    `const WEAKNESSES = '${WEAKNESSES}'`,
    `export const OPERATIONS = {\n${all.map(entryOf).join('\n')}\n} as const satisfies Readonly<Record<string, Operation>>`,
    '',
  ].join('\n\n')
}

/** An operation at its place. `input` is undefined if it takes no fields. */
export type Placed = Readonly<{
  id: string
  spec: OperationSpec
  method: Method
  path: string
  isAtRoot: boolean
  token: 'application' | 'user' | 'keys' | undefined
  input: Schema | undefined
  answer: Answer
}>

type Answer = Readonly<{ kind: 'json' | 'items' | 'text' | 'bytes' | 'nothing'; schema: Schema }>

/** The operations of a route, each once. */
export const placedOf = (route: Route): ReadonlyArray<Placed> =>
  Object.entries(route.methods)
    .filter(([method]) => !isOtherName(route, method as Method))
    .map(([method, { spec }]) => ({
      id: spec.id,
      spec,
      method: method as Method,
      path: route.path,
      isAtRoot: route.prefix === undefined,
      token: tokenOf(spec),
      input: inputOf(spec),
      answer: answerOf(spec),
    }))

/** Whether the client has this operation by another method or path. `fetch` sends no GET with a body, so that goes by POST. */
const isOtherName = ({ path, methods }: Route, method: Method): boolean => {
  const { GET, POST } = methods
  // RFC 8414 §3.1 puts the prefix behind the path, too.
  if (method === 'HEAD' || path.endsWith(PREFIX)) return true
  if (GET?.spec.summary !== POST?.spec.summary) return false
  return method === (GET?.spec.body === undefined ? 'POST' : 'GET')
}

const tokenOf = ({ access: { required, acceptsClientCredentials } }: OperationSpec): Placed['token'] =>
  required?.kind ?? (acceptsClientCredentials ? 'keys' : undefined)

/** Fields that the client sends by itself. */
export const OWN_FIELDS = ['public_api_key', 'private_api_key', 'client_id', 'client_secret', 'grant_type']

/** Fields of the other grants. The client gets tokens of its application, and leaves those of users to a client of OpenID Connect. */
const OF_OTHER_GRANTS = ['code', 'redirect_uri', 'code_verifier', 'refresh_token']

const isLeftOut = (id: string, name: string): boolean =>
  OWN_FIELDS.includes(name) || (id === 'issueOauthToken' && OF_OTHER_GRANTS.includes(name))

const inputOf = ({ id, body, query, pathParameter }: OperationSpec): Schema | undefined => {
  const properties = {
    ...body?.schema.properties,
    ...(pathParameter && { path: { type: 'string', description: pathParameter.description } }),
    ...Object.fromEntries(
      Object.entries(query ?? {}).map(([name, { description, schema }]) => [
        name,
        { ...schema, description },
      ]),
    ),
  } as Record<string, Schema>
  const names = Object.keys(properties).filter((name) => !isLeftOut(id, name))
  if (names.length === 0) return undefined
  const required = [...(body?.schema.required ?? []), ...(pathParameter ? ['path'] : [])]
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, properties[name] as Schema])),
    required: required.filter((name) => names.includes(name)),
  }
}

const answerOf = ({ id, successes }: OperationSpec): Answer => {
  const success = successes.find(({ status }) => status < 300)
  if (success === undefined) throw new Error(`${id} has no success.`)
  const { body, type = 'application/json' } = success
  const schema = id === 'issueOauthToken' ? (body?.oneOf?.[0] as Schema | undefined) : body
  if (schema === undefined) return { kind: 'nothing', schema: {} }
  if (type.startsWith('text/')) return { kind: 'text', schema }
  if (!type.endsWith('json')) return { kind: 'bytes', schema }
  return { kind: schema.type === 'array' ? 'items' : 'json', schema }
}

/** Their members have the names of other standards (CloudEvents, RFC 8414, OpenAPI). */
const KEEPS_NAMES = ['readFeed', 'getOauthMetadata', 'getOpenIdMetadata', 'describe']

const typesOf = ({ id, input, answer }: Placed): ReadonlyArray<string> => [
  ...(input === undefined ? [] : [`export type ${upper(id)}Input = ${typeOf(input, namesOf(false), true)}`]),
  `export type ${upper(id)}Answer = ${answerType(id, answer)}`,
]

const answerType = (id: string, { kind, schema }: Answer): string => {
  if (id === 'readFeed') return feedType(schema)
  const type = () => typeOf(schema, namesOf(KEEPS_NAMES.includes(id)))
  switch (kind) {
    case 'json':
      return type()
    case 'items':
      return `Readonly<{ items: ${type()} }>`
    case 'text':
      return 'Readonly<{ text: string }>'
    case 'bytes':
      return 'Readonly<{ bytes: Uint8Array }>'
    case 'nothing':
      return 'Readonly<Record<never, never>>'
  }
}

/** The entry of an event has the fields of its type, which its schema leaves open. */
const feedType = (schema: Schema): string =>
  `Readonly<{
  items: ReadonlyArray<${typeOf(without(eventSchema(schema), ['data']), namesOf(true))} & Readonly<{
    /** The entry, as \`portcullis events list --json\` prints it. */
    data: LogEntry
  }>>
  /** The cursor behind this page. */
  next: string
}>`

/** The schema of an event in that of a page. */
export const eventSchema = (page: Schema): Schema => ('items' in page ? page.items : {}) as Schema

const methodsType = (name: string, about: string, result: string, placed: ReadonlyArray<Placed>): string => {
  const methods = placed.map(({ id, spec, input }) => {
    const optional = input !== undefined && (input.required ?? []).length === 0
    const parameters = input === undefined ? '' : `input${optional ? '?' : ''}: ${upper(id)}Input, `
    const refused = spec.problemMembers === undefined ? '' : ' | SecondFactorDue'
    return `  /** ${spec.summary}. */\n  ${id}(${parameters}options?: Options): Promise<${result}<${upper(id)}Answer>${refused}>`
  })
  return `/** ${about} */\nexport type ${name} = Readonly<{\n${methods.join('\n')}\n}>`
}

const entryOf = (placed: Placed): string => {
  const { id, spec, method, path, isAtRoot, token, input, answer } = placed
  const kind = kindOf(id)
  const reasons = reasonsOf(placed)
  const entry = {
    ...(method !== 'POST' && { method }),
    path: path.replace(/^\/api\/v1\//, ''),
    ...(isAtRoot && { isAtRoot }),
    ...(token !== defaultTokenOf(path) && { token: token ?? 'none' }),
    ...((input !== undefined) !== (method === 'POST') && { takesInput: input !== undefined }),
    ...(spec.body?.type === 'application/x-www-form-urlencoded' && { isForm: true }),
    ...(answer.kind !== 'json' && { answer: answer.kind }),
    ...(KEEPS_NAMES.includes(id) && { keepsNames: true }),
    ...(kind && { kind }),
    ...(reasons !== '' && { reasons }),
  }
  return `  ${id}: ${JSON.stringify(entry)},`.replace(WEAKNESSES, '" + WEAKNESSES + "').replace(' + ""', '')
}

const defaultTokenOf = (path: string): Placed['token'] => {
  if (!path.startsWith('/api/v1/')) return undefined
  return path.startsWith('/api/v1/profile') ? 'user' : 'application'
}

/** Why a new password is refused: in four operations, so the bundle has it once. */
const WEAKNESSES = 'refused_by_rule too_short leaked from_names common guessable'

/** The reasons of the codes from 1, without gaps. */
const reasonsOf = ({ id, spec }: Placed): string => {
  const reasons: Array<Reason> = []
  for (const [problem, { code }] of Object.entries(spec.codes ?? {})) {
    const reason = reasonOf(problem)
    if ((reasons[code - 1] ?? reason) !== reason) throw new Error(`Code ${code} of ${id} has two reasons.`)
    reasons[code - 1] = reason
  }
  return Array.from(reasons, (reason) => reason ?? 'other').join(' ')
}

/** They change nothing, although their method is POST. */
const READS = [
  'searchUsers',
  'showUser',
  'introspect',
  'startPasskeySignIn',
  'startPasskeySecondStep',
  'startPasskeyStepUp',
  'startPasskeyEnrolment',
  'startIdentitySignIn',
  'startIdentityLink',
  'startIdentityStepUp',
]

/** They change something, and a second time changes nothing that matters (docs/clients.md). */
const REPEATABLE = ['issueApplicationToken', 'issueOauthToken', 'renewSession', 'revokeToken']

/** A repeated sign-in could check a password twice. A probe asks for the state of this moment. */
const ONCE = [
  'signIn',
  'signInVouched',
  'completeSignIn',
  'completePasskeySignIn',
  'completeIdentitySignIn',
  'isAlive',
  'isReady',
]

const kindOf = (id: string): Operation['kind'] | undefined => {
  if (ONCE.includes(id)) return 'once'
  if (REPEATABLE.includes(id)) return 'repeatable'
  return READS.includes(id) ? 'read' : undefined
}

const upper = (id: string): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}`
