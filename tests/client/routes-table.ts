import { possibleErrors } from '../../adapters/http/openapi/failures.ts'
import { SERVER_ERRORS } from '../../adapters/http/openapi/responses.ts'
import { type OperationSpec, TAGS, type Tag } from '../../adapters/http/operation/operation.ts'
import { methodsOf, pathPattern, type Route } from '../../adapters/http/operation/route.ts'
import { placedOf } from './operations-module.ts'

/** A line of docs/routes.md: the methods of one path that do the same. */
type Row = Readonly<{
  methods: ReadonlyArray<string>
  /** The method of the client. */
  id: string
  path: string
  spec: OperationSpec
}>

/** The page with the tables of these routes in place of its own. */
export const withRoutes = (page: string, routes: ReadonlyArray<Route>): string => {
  const rows = routes.flatMap(rowsOf)
  const common = statusesOfAll(rows)
  const parts = (Object.keys(TAGS) as ReadonlyArray<Tag>).map((tag) => {
    const cells = rows.filter(({ spec }) => spec.tag === tag).map((row) => cellsOf(row, common))
    return `## ${tag}\n\n${TAGS[tag]}\n\n${table(['route', 'token', 'fields', 'statuses', 'codes of 422'], cells)}\n`
  })
  const [before] = page.split('\n## ', 1)
  return [before, ...parts]
    .join('\n')
    .replace(/<!-- statuses -->.*/, `<!-- statuses -->${common.join(', ')}.`)
}

/** GET stands with POST of the same path if both do the same. */
const rowsOf = (route: Route): ReadonlyArray<Row> => {
  const path = pathPattern(route).replace('{path}', '…')
  const methods = methodsOf(route).filter((one) => one !== 'HEAD')
  return placedOf(route).map(({ id, spec }) => ({
    methods: methods.filter((method) => route.methods[method]?.spec.summary === spec.summary),
    id,
    path,
    spec,
  }))
}

const cellsOf = ({ methods, id, path, spec }: Row, common: ReadonlyArray<number>): ReadonlyArray<string> => {
  const [last = ''] = methods.slice(-1)
  const named = [...methods.slice(0, -1).map((method) => `\`${method}\``), `\`${last} ${path}\``].join(
    ' and ',
  )
  return [
    `<a id="${id}"></a>${named}<br>\`${id}\`: ${spec.summary}.`,
    tokenOf(spec),
    fieldsOf(spec),
    statusesOf(spec)
      .filter((status) => !common.includes(status))
      .join(', '),
    codesOf(spec),
  ]
}

const tokenOf = ({ access: { required, acceptsClientCredentials } }: OperationSpec): string => {
  if (required?.kind === 'user') return 'user'
  if (required?.kind === 'application')
    return `\`${required.scope}\`${acceptsClientCredentials ? ', or API keys' : ''}`
  return acceptsClientCredentials ? 'API keys' : ''
}

/** Those that may be absent have a question mark. */
const fieldsOf = ({ body, query = {}, requestHeaders = [] }: OperationSpec): string =>
  [
    ...Object.keys(body?.schema.properties ?? {}).map(
      (name) => `\`${name}${body?.schema.required?.includes(name) ? '' : '?'}\``,
    ),
    ...Object.keys(query).map((name) => `\`${name}?\``),
    ...requestHeaders.map((name) => `\`${name}?\``),
  ].join(', ')

const statusesOf = (spec: OperationSpec): ReadonlyArray<number> =>
  [
    ...new Set([
      ...spec.successes.map(({ status }) => status),
      ...(spec.codes === undefined ? [] : [422]),
      ...SERVER_ERRORS.map(({ response }) => response.status),
      ...(spec.failures ?? [])
        .flatMap((kind) => possibleErrors(kind, spec))
        .map(({ response }) => response.status),
    ]),
  ].toSorted((one, other) => one - other)

const statusesOfAll = (rows: ReadonlyArray<Row>): ReadonlyArray<number> => {
  const [first = [], ...others] = rows.map(({ spec }) => statusesOf(spec))
  return first.filter((status) => others.every((each) => each.includes(status)))
}

/** Each code with its field and message, one below the other. Two problems may have one. */
const codesOf = ({ codes = {} }: OperationSpec): string =>
  [...new Set(Object.values(codes))]
    .toSorted((one, other) => one.code - other.code)
    .map(({ code, param, message }) =>
      message.startsWith(`${param} `)
        ? `${code} \`${param}\`${message.slice(param.length)}`
        : `${code} \`${param}\`: ${message}`,
    )
    .join('<br>')

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const line = (cells: ReadonlyArray<string>): string =>
    `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}
